import './kubernetes-1.29.ts';
import '../service/traffic-policy-local.test.ts';
