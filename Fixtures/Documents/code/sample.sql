-- Users
CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY,
  name TEXT DEFAULT 'a;b'
);
create or replace function f(a int) returns int as $$
begin
  return a;
end
$$ language plpgsql;
