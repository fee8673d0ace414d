/**
 * Operations that are only available on the machine's socket, with the reason. None can be reached over the network,
 * whatever the session.
 */
export const SOCKET_ONLY: Readonly<Record<string, string>> = {
  createKey: 'its reply is a key with which an operator could act as the customer',
  createSignInLink: 'its reply is a link with which an operator could act as the customer',
  rebuildVm: "its reply is the first password of a customer's VM",
  addOperator: 'a stolen session must not create another way to sign in',
  createOperatorLink: 'a stolen session must not create another way to sign in',
  removeOperator: 'a stolen session must not lock the other operators out',
  importImage: 'it reads files of the host by their path',
  addCluster: 'it makes the service trust machines that a stolen session names',
  changeCluster: 'it makes the service trust what a stolen session names',
  removeCluster: 'the machines that the service trusts are chosen on its own machine',
  rotateSecrets: 'the keys of the installation stay on its machine',
  reportAttack: 'it is for programs of the machine, such as the script that FastNetMon runs',
  endReportedAttack: 'it is for programs of the machine, such as the script that FastNetMon runs',
  getBooks: 'it is answered once, on the machine of the service',
  setBooksExponent: 'it decides the value of every amount in the books, and can never be undone',
  rotateOpsKey: 'the keys of the installation stay on its machine',
};
