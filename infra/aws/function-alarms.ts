import { titled, type Resource } from './cloudformation.ts';

/** A function and its timeout in seconds. */
type Timed = readonly [name: string, timeout: number];

/** What an alarm asks of all functions together. */
interface Question {
  readonly description: string;
  readonly metric: 'Errors' | 'Throttles' | 'Duration';
  readonly stat: 'Sum' | 'Maximum';
  readonly expression: (functions: readonly Timed[]) => string;
  readonly threshold: number;
  readonly periods: number;
}

const total: Question['expression'] = (functions) => `SUM([${functions.map(([name]) => name).join(', ')}])`;

const longest: Question['expression'] = (functions) =>
  `MAX([${functions.map(([name, timeout]) => `${name} / ${timeout * 1000}`).join(', ')}])`;

// prettier-ignore
const QUESTIONS: Readonly<Record<string, Question>> = {
  ErrorsAlarm: { metric: 'Errors', stat: 'Sum', expression: total, threshold: 2, periods: 1,
    description: 'Functions ended with more than two errors in five minutes' },
  ThrottlesAlarm: { metric: 'Throttles', stat: 'Sum', expression: total, threshold: 0, periods: 3,
    description: 'A limit of concurrent executions has held functions back for fifteen minutes' },
  DurationAlarm: { metric: 'Duration', stat: 'Maximum', expression: longest, threshold: 0.9, periods: 2,
    description: 'A function took over nine tenths of its timeout; Lambda ends it there' },
};

/** The alarms about functions, each over all of them. CloudWatch takes up to ten metrics in one alarm. */
export function functionAlarms(functions: readonly Timed[]): Readonly<Record<string, Resource>> {
  return Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, question]) => [name, alarm(question, functions)]),
  );
}

function alarm(question: Question, functions: readonly Timed[]): Resource {
  const { description, metric, stat, expression, threshold, periods } = question;
  const series = functions.map(([name]) => ({
    Id: name,
    ReturnData: false,
    MetricStat: {
      Stat: stat,
      Period: 300,
      Metric: {
        Namespace: 'AWS/Lambda',
        MetricName: metric,
        Dimensions: [{ Name: 'FunctionName', Value: { Ref: `${titled(name)}LambdaFunction` } }],
      },
    },
  }));
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: description,
      Metrics: [{ Id: 'all', Expression: expression(functions), Label: metric }, ...series],
      EvaluationPeriods: periods,
      Threshold: threshold,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    },
  };
}
