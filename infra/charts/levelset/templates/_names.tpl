{{/* Of all objects: the release's name, with the chart's where it does not say it. */}}
{{- define "levelset.name" -}}
{{- $name := .Release.Name }}
{{- if not (contains .Chart.Name $name) }}{{ $name = printf "%s-%s" $name .Chart.Name }}{{ end }}
{{- $name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "levelset.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "levelset.name" .) }}
{{- end }}

{{- define "levelset.cloudConfigSecretName" -}}
{{ .Values.cloudConfig.secretName | default (include "levelset.name" .) }}
{{- end }}

{{- define "levelset.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
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

{{/* "true" on the network of the Node. What is not said is kept as the release has it, and helm template knows of no release. */}}
{{- define "levelset.hostNetwork" -}}
{{- $there := lookup "apps/v1" "Deployment" .Release.Namespace (include "levelset.name" .) }}
{{- if kindIs "bool" .Values.hostNetwork }}{{ .Values.hostNetwork }}
{{- else if $there }}{{ dig "spec" "template" "spec" "hostNetwork" false $there }}
{{- else }}{{ not .Values.clusters.from }}
{{- end }}
{{- end }}

{{/* "true" when nobody but the kubelet and who is on the Node calls: others need a token, which passes over TLS alone. */}}
{{- define "levelset.onLoopback" -}}
{{ and (eq (include "levelset.hostNetwork" .) "true") (not .Values.tls.secretName) }}
{{- end }}

{{/* That of the Service. */}}
{{- define "levelset.servicePort" -}}
{{ .Values.port | default (ternary 8443 8080 (ne .Values.tls.secretName "")) }}
{{- end }}

{{/* That of the Pod. */}}
{{- define "levelset.port" -}}
{{- if eq (include "levelset.hostNetwork" .) "true" }}{{ .Values.port | default 10268 }}
{{- else }}{{ include "levelset.servicePort" . }}
{{- end }}
{{- end }}

{{/* The container's variables. `env` overrides those that it names, in any case of letters: proxies have both. */}}
{{- define "levelset.env" -}}
{{- $given := list }}
{{- range .Values.env }}{{ $given = append $given (upper .name) }}{{ end }}
{{- with .Values.env }}
{{- toYaml . }}
{{- end }}
{{- range regexSplit "(?m)^- name: " (include "levelset.ownEnv" .) -1 | rest }}
{{- if not (has (regexFind "^\\w+" . | upper) $given) }}
- name: {{ trim . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "levelset.ownEnv" -}}
- name: NODE_OPTIONS # a third less memory while events come by thousands: most objects live for one of them
  value: --max-semi-space-size=4
- name: MALLOC_ARENA_MAX
  value: '1'
- name: LEVELSET_STATE_NAMESPACE # where its Leases and ConfigMaps are
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: POD_NAME # which gets the label of the one that leads
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: LEVELSET_SERVICE_ACCOUNT # levelset ignores audit events about its own writes
  value: {{ if contains "LEVELSET_STATE_NAMESPACE" (toJson .Values.env) }}{{ .Release.Namespace }}{{ else }}$(LEVELSET_STATE_NAMESPACE){{ end }}/{{ include "levelset.serviceAccountName" . }}
{{- if or .Values.privateCA.configMapName .Values.privateCA.secretName }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/levelset-ca/ca.crt
{{- end }}
{{- with .Values.proxy }}
{{- with .http }}
- name: HTTP_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with .https }}
- name: HTTPS_PROXY
  value: {{ . | quote }}
{{- end }}
{{- if or .http .https .noProxy }}
- name: NO_PROXY
  value: {{ printf "$(KUBERNETES_SERVICE_HOST),.svc,.cluster.local,localhost,127.0.0.1,::1%s" (ternary "" (printf ",%s" .noProxy) (eq .noProxy "")) | quote }}
{{- end }}
{{- end }}
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
