import './kubernetes-1.29.ts';
import '../service/watch.test.ts';
