"""A user's program: appointments that repeat, and dates as people write them."""

from datetime import date, datetime, timedelta

from dateutil import easter, parser, tz
from dateutil.relativedelta import FR, MO, relativedelta
from dateutil.rrule import MONTHLY, WEEKLY, rrule, rruleset, rrulestr

start = datetime(2024, 1, 31, 9, 30)
for text in ("2024-02-03T10:11:12Z", "3 Feb 2024 5pm", "Feb 3rd, 24", "10:36:28 UTC+3", "20240203"):
    print(parser.parse(text, default=start))
for text in ("31 Feb 2024", "soon", ""):
    try:
        parser.parse(text)
    except parser.ParserError as error:
        print(type(error).__name__, error)
print(start + relativedelta(months=+1, weekday=FR(-1)), relativedelta(date(2024, 3, 1), date(2023, 12, 31)))
print(easter.easter(2024), [day.day for day in rrule(MONTHLY, count=4, byweekday=MO(2), dtstart=start)])
days = rruleset()
days.rrule(rrulestr("FREQ=WEEKLY;COUNT=5;BYDAY=MO,WE", dtstart=start))
days.exdate(datetime(2024, 2, 7, 9, 30))
print([f"{day:%d.%m}" for day in days], days.before(datetime(2024, 2, 10)))
zone = tz.tzstr("EST5EDT,M3.2.0,M11.1.0")
print(start.replace(tzinfo=zone).utcoffset(), tz.resolve_imaginary(datetime(2024, 3, 10, 2, 30, tzinfo=zone)))
print(parser.isoparse("2024-W05-3"), list(rrule(WEEKLY, dtstart=start, until=start + timedelta(8)))[-1])
