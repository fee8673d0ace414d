import { defineTexts } from '../texts.ts';
import { de } from './texts-de.ts';
import { en } from './texts-en.ts';

export const texts = defineTexts(en, de);
