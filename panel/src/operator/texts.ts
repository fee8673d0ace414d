import { defineTexts } from '../texts.ts';
import { de } from './texts-de.ts';
import { en } from './texts-en.ts';

/** The texts that the operator's pages share. */
export const texts = defineTexts(en, de);
