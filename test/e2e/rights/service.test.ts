import './access-rules.ts';
import '../service/service.test.ts';
