/**
 * Operations that are only available on the machine's socket, with the reason. None can be reached over the network,
 * whatever the session.
 */
export const SOCKET_ONLY: Readonly<Record<string, string>> = {
  createKey: 'its reply is a key, by which an operator would be the customer',
  createSignInLink: 'its reply is a link, by which an operator would be the customer',
  rebuildVm: "its reply is the first password of a customer's VM",
  addOperator: 'a session that was stolen must not make itself another way in',
  createOperatorLink: 'a session that was stolen must not make itself another way in',
  removeOperator: 'a session that was stolen must not lock the others out',
  importImage: 'it reads files of the host by their paths',
  addCluster: 'it makes the service trust machines that a stolen session names',
  changeCluster: 'it makes the service trust what a stolen session names',
  removeCluster: 'which machines the service trusts is decided on its own',
  rotateSecrets: 'the keys of the installation stay on its machine',
  reportAttack: 'it is for programs of the machine, such as the script that FastNetMon runs',
  endReportedAttack: 'it is for programs of the machine, such as the script that FastNetMon runs',
  getBooks: 'it is asked and answered once, on the machine',
  setBooksExponent: 'it says what every amount in the books is worth, and is never taken back',
  rotateOpsKey: 'the keys of the installation stay on its machine',
};
