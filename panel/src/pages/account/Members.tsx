import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member, Role } from '../../api/panel.ts';
import { read, useChange } from '../../api/queries.ts';
import { useRole, useSession } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Badge, State } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions, textOf } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { announce } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { DateOf } from '../../ui/Values.tsx';
import { texts } from './texts.ts';

const ROLES: Role[] = ['owner', 'operator', 'viewer'];

export function Members() {
  const t = useTexts(texts);
  const isOwner = useRole('owner');
  const query = useQuery(read('listMembers'));
  const [isInviting, setInviting] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const columns = useColumns(isOwner, setRemoved);
  const remove = useChange('removeMember', { changes: ['listMembers'], onDone: () => setRemoved(undefined) });
  return (
    <Page
      title={t.members}
      actions={
        isOwner && (
          <Button look="main" icon="plus" onPress={() => setInviting(true)}>
            {t.invite}
          </Button>
        )
      }
    >
      <p>{t.membersWhy}</p>
      <Loaded query={query}>
        {(members) => <Table label={t.members} rows={members} keyOf={({ id }) => id} columns={columns} />}
      </Loaded>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
      <ConfirmDialog
        title={t.removeMember(removed?.name || removed?.email || '')}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        confirm={removed?.status === 'invited' ? t.withdraw : t.remove}
        onConfirm={() => removed && remove.mutate({ params: { id: removed.id } })}
        isPending={remove.isPending}
        error={remove.error}
      >
        <p>{t.removeMemberWhy}</p>
      </ConfirmDialog>
    </Page>
  );
}

function useColumns(isOwner: boolean, onRemove: (member: Member) => void): Column<Member>[] {
  const t = useTexts(texts);
  const { person } = useSession();
  const change = useChange('changeMemberRole', { changes: ['listMembers'], onDone: () => announce(t.saved) });
  const roles = ROLES.map((value) => ({ value, label: t[value] }));
  return [
    {
      id: 'name',
      title: t.name,
      narrow: 'title',
      cell: ({ name, email }) => (
        <>
          {name || email} {email === person.email && <Badge>{t.you}</Badge>}
        </>
      ),
    },
    { id: 'email', title: t.email, cell: ({ email }) => email },
    {
      id: 'role',
      title: t.role,
      cell: ({ id, role, email }) =>
        isOwner && email !== person.email ? (
          <Select
            label={t.role}
            isLabelHidden
            value={role}
            onChange={(role) => change.mutate({ params: { id }, body: { role } })}
            options={roles}
          />
        ) : (
          t[role]
        ),
    },
    {
      id: 'state',
      title: t.state,
      narrow: 'aside',
      cell: ({ status }) => (
        <State tone={status === 'active' ? 'ok' : 'info'} shape={status === 'active' ? 'dot' : 'ring'}>
          {status === 'active' ? t.isMember : t.waiting}
        </State>
      ),
    },
    { id: 'since', title: t.since, cell: ({ created_at }) => <DateOf at={created_at} /> },
    {
      id: 'act',
      title: '',
      align: 'end',
      cell: (member) =>
        isOwner &&
        member.email !== person.email && (
          <Button look="quiet" onPress={() => onRemove(member)}>
            {member.status === 'invited' ? t.withdraw : t.remove}
          </Button>
        ),
    },
  ];
}

function Invite({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const [role, setRole] = useState<Role>('operator');
  const invite = useChange('inviteMember', {
    changes: ['listMembers'],
    onDone: (_, { body }) => {
      announce(t.invited(body.email));
      onClose();
    },
  });
  return (
    <Dialog title={t.inviteTitle} isOpen onClose={onClose}>
      <Form
        error={invite.error}
        onSubmit={(values) => invite.mutate({ body: { email: textOf(values, 'email'), role } })}
      >
        <Field label={t.email} name="email" type="email" isRequired autoFocus autoComplete="off" />
        <Choices
          label={t.role}
          name="role"
          value={role}
          onChange={setRole}
          choices={ROLES.map((value) => ({ value, label: t[value], hint: t[`${value}_hint`] }))}
        />
        <FormActions>
          <Button look="main" type="submit" isPending={invite.isPending}>
            {t.inviteGo}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
