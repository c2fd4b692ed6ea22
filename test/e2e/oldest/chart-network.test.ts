import './kubernetes-1.29.ts';
import '../install/chart-network.test.ts';
