// What there is to try, and what each needs of the machine.
const AS_ROOT = { root: true };
const FUSE = { file: '/dev/fuse' };
const program = (name, debianPackage) => ({ program: name, debianPackage });

export const ENVIRONMENTS = {
  letterCase: {
    file: 'test/environments/letterCase.test.mjs',
    what: 'an exFAT disk, mounted, which does not tell upper from lower case',
    needs: [
      AS_ROOT,
      FUSE,
      program('git', 'git'),
      program('losetup', 'mount'),
      program('mkfs.exfat', 'exfatprogs'),
      program('mount.exfat-fuse', 'exfat-fuse'),
    ],
  },
  silentDisk: {
    file: 'test/environments/silentDisk.test.mjs',
    what: 'a disk that another system changes without a word to this one, as below /mnt/c in WSL',
    needs: [AS_ROOT, FUSE, program('bindfs', 'bindfs'), program('fusermount3', 'fuse3')],
  },
  ssh: {
    file: 'test/environments/ssh.test.mjs',
    what: "VS Code's server reached over SSH, as another user, through a tunnel that breaks",
    needs: [
      AS_ROOT,
      program('sshd', 'openssh-server'),
      program('ssh', 'openssh-client'),
      program('useradd', 'passwd'),
      program('setpriv', 'util-linux'),
    ],
  },
  container: {
    file: 'test/environments/container.test.mjs',
    what: 'a container without network, with little memory and a user of its own',
    needs: [
      AS_ROOT,
      program('bwrap', 'bubblewrap'),
      program('setpriv', 'util-linux'),
      program('git', 'git'),
      { file: '/sys/fs/cgroup' },
    ],
  },
};
