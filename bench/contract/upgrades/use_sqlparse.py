import sqlparse
sql = """select a, b as c, count(*) from t join u on t.id=u.id where a > 1 and b in (select x from y) group by a order by b desc limit 3; update t set a=1 -- note
where b is null; create table if not exists x (id int primary key, name varchar(20));"""
for s in sqlparse.split(sql):
    print(sqlparse.format(s, reindent=True, keyword_case="upper", strip_comments=True))
for statement in sqlparse.parse(sql):
    print(statement.get_type(), [str(t) for t in statement.tokens if not t.is_whitespace][:4])
print(sqlparse.format("select case when a then 1 else 2 end, 'x''y' from t", reindent_aligned=True))
print(sqlparse.format("select  a ,b from t where x=1", use_space_around_operators=True))
