import './kubernetes-1.29.ts';
import '../node/node-lifecycle.test.ts';
