/** Settings that only variables have, each with its description. */
export const VARIABLES = {
  LEVELSET_CLOUD_CONFIG_TEXT: 'the text of cloud.conf, where there is no `--cloud-config`',
  LEVELSET_KUBECONFIG_TEXT: 'the text of a kubeconfig, where there is no `--kubeconfig`',
  LEVELSET_CA_FILE_TEXT: 'the PEM text of the CA of OpenStack, in the place of `ca-file`',
  LEVELSET_CERT_FILE_TEXT: 'the PEM text of the client certificate, in the place of `cert-file`',
  LEVELSET_KEY_FILE_TEXT: 'the PEM text of its key, in the place of `key-file`',
  LEVELSET_AUDIT_TOKENS: 'bearer tokens of `/audit` and `/events`, separated by commas',
  LEVELSET_RESYNC_TOKENS: 'bearer tokens of `/resync`',
  LEVELSET_PAGE_TOKENS:
    'bearer tokens of the status page and `/metrics`, where levelset does not listen on loopback',
  LEVELSET_QUEUE_URL: 'AWS: the FIFO queue of all work',
  LEVELSET_STACK: 'AWS: the ARN of the stack, by which a cluster says whose it is',
  OS_CCM_REGIONAL: '`true`: the providerID of a Node holds the region, as with OCCM; it needs a region',
} as const;
