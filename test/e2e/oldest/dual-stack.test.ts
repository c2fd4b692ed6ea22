import './kubernetes-1.29.ts';
import '../service/dual-stack.test.ts';
