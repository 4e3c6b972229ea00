#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# git: commits with fixed names and dates, merges, threads that pack, clones over three transports, gc and fsck.
. "$(dirname "$0")/common.sh"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' HOME="$PWD"
git()
{
	command $RECORD git -c pack.threads=4 -c grep.threads=4 -c protocol.file.allow=always "$@"
	git_status=$?
	[ $git_status = 0 ] || echo "git $1: exit status $git_status"
}
git init -q -b main here
cd here || exit 1
for i in 1 2 3 4 5 6; do
	seq "$i" 3000 >"f$i"
	mkdir -p "d$i/e"
	seq $((i * 100)) >"d$i/e/g"
	git add .
	git commit -qm "commit $i"
done
git checkout -q -b side HEAD~3
echo side >>f2
git commit -qam side
git checkout -q main
echo main >>f1
git commit -qam main
git merge -q -m merge side
git tag -a -m tagged v1
echo conflict >f2
git commit -qam ours
git checkout -q side
echo other >f2
git commit -qam theirs
git merge main
git merge --abort
git rebase main
git rebase --abort
git checkout -q main
git log --graph --stat main
git grep -n 2777
git blame f1 | md5sum
git status --short
git repack -adq --depth=20 --window=20
git gc -q --aggressive --prune=now
git fsck --full
git rev-parse main side v1 'v1^{tree}'
cd ..
git clone -q here by-hardlink
git clone -q "file://$PWD/here" by-upload-pack
git clone -q --bare "file://$PWD/here" bare.git
git -C by-upload-pack rev-parse HEAD
git -C by-upload-pack fsck
printf '#!/bin/sh\necho "hook $(cat | wc -l)" >&2\n' >bare.git/hooks/pre-receive
chmod +x bare.git/hooks/pre-receive
cd by-hardlink || exit 1
git remote set-url origin "file://$PWD/../bare.git"
for i in 1 2 3; do
	echo "$i" >"new$i"
	git add .
	git commit -qm "new $i"
done
git push -q origin main
git -C ../bare.git rev-parse main
git submodule add -q "file://$PWD/../bare.git" sub
git submodule status
git archive HEAD | md5sum
git bundle create -q ../bundle main
git bundle verify -q ../bundle
git worktree add -q ../tree HEAD~2
git -C ../tree status --short --branch
git show nothing
git --no-pager diff HEAD~3 --stat
