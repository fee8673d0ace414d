/** A guest that no VM has; its size is null while it cannot be seen. */
export interface Orphan {
  id: string;
  engine: string;
  vcpu: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
  addresses: string[];
  found_at: string;
}
