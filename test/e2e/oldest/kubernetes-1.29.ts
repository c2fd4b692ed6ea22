/** First import of each file here: what is imported after it finds the cluster with the oldest Kubernetes that is supported. */
import { useVersion } from '../lab/environment.ts';

useVersion('1.29');
