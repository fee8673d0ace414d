import { Link } from '@tanstack/react-router';
import classes from './Brand.module.css';
import { useSite } from './site.ts';

export function Brand() {
  const { name, logo_url } = useSite();
  return (
    <Link to="/" className={classes.brand}>
      {logo_url ? <img src={logo_url} alt="" className={classes.logo} /> : <Star />}
      <span>{name}</span>
    </Link>
  );
}

function Star() {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" className={classes.star}>
      <path d="M12 1l3 6.5 7-1.5-4 6 4 6-7-1.5L12 23l-3-6.5L2 18l4-6-4-6 7 1.5z" fill="none" />
      <path d="M12 8.5l3.3 3.5-3.3 3.5L8.7 12z" className={classes.core} />
    </svg>
  );
}
