import './kubernetes-1.29.ts';
import '../routes/routes-dual-stack.test.ts';
