// What pages already call and the service does not have yet. As soon as it does, what it describes takes precedence.
import type { Role } from './panel.ts';

export interface ApiKey {
  id: string;
  label: string;
  prefix: string;
  scopes: string[];
  allowed_ips: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface Member {
  id: string;
  email: string;
  name: string | null;
  role: Role;
  status: 'active' | 'invited';
  created_at: string;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string | null;
  ip: string | null;
}

/** What each operation takes, and what it answers under `data`. */
export interface PlannedOperations {
  listScopes: {
    data: {
      scopes: { scope: string; description: string; grantable: boolean }[];
      presets: { id: string; scopes: string[] }[];
    };
  };
  listKeys: { query: { limit?: number; cursor?: string }; data: ApiKey[]; list: true };
  createKey: {
    body: { label: string; scopes: string[]; allowed_ips: string[]; expires_at?: string | null };
    data: { key: ApiKey; secret: string };
  };
  revokeKey: { params: { id: string }; data: null };
  listMembers: { data: Member[] };
  inviteMember: { body: { email: string; role: Role }; data: Member };
  changeMemberRole: { params: { id: string }; body: { role: Role }; data: Member };
  removeMember: { params: { id: string }; data: null };
  acceptInvitation: { body: { token: string }; data: null };
  listAudit: { query: { limit?: number; cursor?: string }; data: AuditEntry[]; list: true };
  closeAccount: { body: { name: string }; data: null };
  restoreSnapshot: { params: { id: string; snapshot_id: string }; data: { job: { id: string } } };
  rebuildVm: { params: { id: string }; body: { image: string }; data: { job: { id: string } } };
}

/** Where each operation is. */
export const PLANNED_OPERATIONS = {
  listScopes: ['GET', '/scopes'],
  listKeys: ['GET', '/keys'],
  createKey: ['POST', '/keys'],
  revokeKey: ['DELETE', '/keys/{id}'],
  listMembers: ['GET', '/members'],
  inviteMember: ['POST', '/members'],
  changeMemberRole: ['PATCH', '/members/{id}'],
  removeMember: ['DELETE', '/members/{id}'],
  acceptInvitation: ['POST', '/invitations/accept'],
  listAudit: ['GET', '/audit'],
  closeAccount: ['POST', '/account/close'],
  restoreSnapshot: ['POST', '/vm/{id}/snapshots/{snapshot_id}/restore'],
  rebuildVm: ['POST', '/vm/{id}/rebuild'],
} as const;
