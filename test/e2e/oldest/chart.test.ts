import './kubernetes-1.29.ts';
import '../install/chart.test.ts';
