{{/* Of all objects: the release's name, with the chart's where it does not say it; a relay's ends in -relay. */}}
{{- define "levelset.name" -}}
{{- $name := .Release.Name }}
{{- if not (contains .Chart.Name $name) }}{{ $name = printf "%s-%s" $name .Chart.Name }}{{ end }}
{{- if .Values.relay.enabled }}{{ $name | trimSuffix "-relay" | trunc 57 | trimSuffix "-" }}-relay
{{- else }}{{ $name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "levelset.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "levelset.name" .) }}
{{- end }}

{{- define "levelset.cloudConfigSecretName" -}}
{{ .Values.cloudConfig.secretName | default (include "levelset.name" .) }}
{{- end }}

{{- define "levelset.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}{{ if .Values.relay.enabled }}-relay{{ end }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "levelset.labels" -}}
{{ include "levelset.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The port's name, which is its scheme as well. */}}
{{- define "levelset.scheme" -}}
{{ if .Values.tls.secretName }}https{{ else }}http{{ end }}
{{- end }}

{{- define "levelset.port" -}}
{{ .Values.port | default (ternary 8443 8080 (ne .Values.tls.secretName "")) }}
{{- end }}

{{/* A binding of a role to the ServiceAccount: (list . KIND NAME), the kind Role or ClusterRole; a fourth item is the Role's namespace. */}}
{{- define "levelset.binding" -}}
{{- $root := index . 0 }}{{ $kind := index . 1 }}{{ $name := index . 2 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ $name }}
  {{- if gt (len .) 3 }}
  namespace: {{ index . 3 }}
  {{- end }}
  labels:
    {{- include "levelset.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "levelset.serviceAccountName" $root }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}
