import './kubernetes-1.29.ts';
import '../service/service.test.ts';
