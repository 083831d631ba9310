CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT UNIQUE, weight REAL, note BLOB);
CREATE TABLE uses (whole INTEGER REFERENCES part, part INTEGER REFERENCES part, count INTEGER, PRIMARY KEY (whole, part)) WITHOUT ROWID;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  INSERT INTO part SELECT i, printf('part-%05d', (i * 7919) % 100003), (i * 37 % 101) / 7.0, zeroblob(i % 50) FROM n;
INSERT INTO uses SELECT a.id, b.id, (a.id * b.id) % 9 FROM part a JOIN part b ON b.id = a.id * 2 OR b.id = a.id * 3;
CREATE INDEX by_weight ON part (weight DESC, name);
SELECT count(*), sum(count), max(part) FROM uses;
SELECT name, round(weight, 3) FROM part ORDER BY weight DESC, name LIMIT 25;
WITH RECURSIVE tree(id, depth) AS (SELECT 1, 0 UNION SELECT uses.part, depth + 1 FROM uses JOIN tree ON uses.whole = tree.id WHERE depth < 12)
  SELECT depth, count(*), group_concat(id, ' ') FROM tree GROUP BY depth;
SELECT part.name, sum(count) OVER (PARTITION BY whole % 7 ORDER BY uses.part ROWS 3 PRECEDING) FROM uses JOIN part ON part.id = uses.part LIMIT 200;
BEGIN; DELETE FROM uses WHERE count < 3; SAVEPOINT s; UPDATE part SET weight = weight * 2 WHERE id % 3 = 0; ROLLBACK TO s; COMMIT;
CREATE TRIGGER t AFTER UPDATE ON part BEGIN INSERT INTO uses VALUES (new.id + 10000, old.id, 1); END;
UPDATE part SET name = name || '!' WHERE id BETWEEN 100 AND 400;
SELECT count(*), sum(length(name)), total(weight) FROM part;
SELECT count(*) FROM uses WHERE whole > 10000;
SELECT substr(name, 1, 7) AS stem, count(*) FROM part GROUP BY stem HAVING count(*) > 40 ORDER BY 2 DESC, 1;
SELECT json_group_array(json_object('id', id, 'w', round(weight, 2))) FROM (SELECT * FROM part LIMIT 20);
EXPLAIN QUERY PLAN SELECT * FROM part JOIN uses ON part.id = uses.part WHERE weight > 3 ORDER BY name;
PRAGMA integrity_check;
SELECT nonsense FROM nowhere;
