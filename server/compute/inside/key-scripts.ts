// Shell scripts that edit a user's authorized_keys. Two of them must not run at once: one would undo the other's
// change.

/** Appends a line, read from standard input, to the user's authorized_keys unless it is there. */
export const ADD_KEY = [
  'umask 077; mkdir -p ~/.ssh; IFS= read -r key',
  'grep -qxF "$key" ~/.ssh/authorized_keys 2>/dev/null || printf "%s\\n" "$key" >> ~/.ssh/authorized_keys',
].join('; ');

/** Removes such a line. A failure on the way leaves the file as it was. */
export const REMOVE_KEY = [
  'umask 077; IFS= read -r key; cd ~/.ssh 2>/dev/null && [ -f authorized_keys ] || exit 0',
  'cp -p authorized_keys authorized_keys.new && { grep -vxF "$key" authorized_keys > authorized_keys.new; [ $? -le 1 ]; } && mv authorized_keys.new authorized_keys',
].join('; ');
