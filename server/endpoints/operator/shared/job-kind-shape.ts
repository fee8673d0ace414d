import { JOB_KINDS } from '../../../db/enums.ts';
import { Enum } from '../../../http/schemas.ts';

export const JobKindShape = Enum(JOB_KINDS, { $id: 'JobKind', description: 'The operation of a job' });
