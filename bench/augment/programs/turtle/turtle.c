/* A turtle that draws on a grid.  turtle FILE [WIDTH HEIGHT]

   The file has commands: F n (forward), B n (back), L, R (turn by 90 degrees), U, D (pen up, down),
   C c (colour: a letter), [n ... ] (repeat n times), J x y (jump), M name
   (mark this place), G name (go to a mark), # comment to the end of the line. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WIDTH 40
#define MAX_HEIGHT 20
#define MAX_TEXT 4096
#define MAX_DEPTH 4
#define MAX_MARKS 6
#define MAX_STEPS 500
#define NAME 8

enum heading { NORTH, EAST, SOUTH, WEST };

struct mark {
  char name[NAME + 1];
  int x, y;
  enum heading heading;
};

struct loop {
  size_t start;
  int left;
};

struct turtle {
  int x, y;
  enum heading heading;
  int pen;
  char colour;
  int steps, bumps;
};

static const int dx[] = {0, 1, 0, -1};
static const int dy[] = {-1, 0, 1, 0};

static char grid[MAX_HEIGHT][MAX_WIDTH];
static int width = 16, height = 8;
static struct mark marks[MAX_MARKS];
static int mark_count;
static struct turtle turtle = {0, 0, EAST, 1, '*', 0, 0};

static char text[MAX_TEXT + 1];
static size_t at;

static void fail(const char *why) {
  printf("error at %zu: %s\n", at, why);
  exit(2);
}

static void skip_blank(void) {
  for (;;) {
    while (isspace((unsigned char)text[at]))
      at++;
    if (text[at] != '#')
      return;
    while (text[at] && text[at] != '\n')
      at++;
  }
}

static int read_number(void) {
  int number = 0, digits = 0, sign = 1;
  skip_blank();
  if (text[at] == '-') {
    sign = -1;
    at++;
  }
  while (isdigit((unsigned char)text[at])) {
    number = number * 10 + (text[at] - '0');
    at++;
    if (++digits > 4)
      fail("the number is too long");
  }
  if (digits == 0)
    fail("a number is missing");
  return sign * number;
}

static void read_name(char *into) {
  int length = 0;
  skip_blank();
  while (isalnum((unsigned char)text[at])) {
    if (length < NAME)
      into[length++] = text[at];
    at++;
  }
  if (length == 0)
    fail("a name is missing");
  into[length] = 0;
}

static int is_inside(int x, int y) {
  return x >= 0 && x < width && y >= 0 && y < height;
}

static void draw(void) {
  char *cell = &grid[turtle.y][turtle.x];
  if (!turtle.pen)
    return;
  if (*cell != '.' && *cell != turtle.colour)
    *cell = '+';
  else
    *cell = turtle.colour;
}

static void count_step(void) {
  if (++turtle.steps > MAX_STEPS)
    fail("too many steps");
}

/* Go a number of cells; negative: backwards.  Stop at the border. */
static void go(int cells) {
  int direction = cells < 0 ? -1 : 1;
  draw();
  while (cells != 0) {
    int x = turtle.x + direction * dx[turtle.heading];
    int y = turtle.y + direction * dy[turtle.heading];
    count_step();
    if (!is_inside(x, y)) {
      turtle.bumps++;
      return;
    }
    turtle.x = x;
    turtle.y = y;
    draw();
    cells -= direction;
  }
}

static void turn(int quarters) {
  turtle.heading = (enum heading)((turtle.heading + quarters + 4) % 4);
}

static struct mark *find_mark(const char *name) {
  for (int i = 0; i < mark_count; i++)
    if (strcmp(marks[i].name, name) == 0)
      return &marks[i];
  return NULL;
}

static void set_mark(void) {
  char name[NAME + 1];
  struct mark *mark;
  read_name(name);
  mark = find_mark(name);
  if (mark == NULL) {
    if (mark_count == MAX_MARKS)
      fail("too many marks");
    mark = &marks[mark_count++];
    strcpy(mark->name, name);
  }
  mark->x = turtle.x;
  mark->y = turtle.y;
  mark->heading = turtle.heading;
}

static void go_to_mark(void) {
  char name[NAME + 1];
  struct mark *mark;
  read_name(name);
  mark = find_mark(name);
  if (mark == NULL)
    fail("there is no such mark");
  turtle.x = mark->x;
  turtle.y = mark->y;
  turtle.heading = mark->heading;
}

static void jump(void) {
  int x = read_number();
  int y = read_number();
  if (!is_inside(x, y))
    fail("the place is outside");
  turtle.x = x;
  turtle.y = y;
}

static void set_colour(void) {
  skip_blank();
  if (!isalpha((unsigned char)text[at]))
    fail("a colour is a letter");
  turtle.colour = (char)tolower((unsigned char)text[at++]);
}

/* Skip the commands of a loop that is not executed; `at` stands behind its start. */
static void skip_loop(void) {
  int depth = 1;
  while (depth > 0) {
    skip_blank();
    if (!text[at])
      fail("a loop has no end");
    if (text[at] == '[')
      depth++;
    else if (text[at] == ']')
      depth--;
    at++;
  }
}

static void run(void) {
  struct loop loops[MAX_DEPTH];
  int depth = 0;
  for (;;) {
    skip_blank();
    switch (text[at++]) {
    case 0:
      at--;
      if (depth > 0)
        fail("a loop has no end");
      return;
    case 'F':
      go(read_number());
      break;
    case 'B':
      go(-read_number());
      break;
    case 'L':
      turn(-1);
      break;
    case 'R':
      turn(1);
      break;
    case 'U':
      turtle.pen = 0;
      break;
    case 'D':
      turtle.pen = 1;
      draw();
      break;
    case 'C':
      set_colour();
      break;
    case 'J':
      jump();
      break;
    case 'M':
      set_mark();
      break;
    case 'G':
      go_to_mark();
      break;
    case '[': {
      int times = read_number();
      if (times <= 0) {
        skip_loop();
        break;
      }
      if (depth == MAX_DEPTH)
        fail("the loops are too deep");
      loops[depth].start = at;
      loops[depth].left = times - 1;
      depth++;
      break;
    }
    case ']':
      if (depth == 0)
        fail("this loop has no start");
      if (loops[depth - 1].left-- > 0)
        at = loops[depth - 1].start;
      else
        depth--;
      break;
    default:
      at--;
      fail("what is this?");
    }
  }
}

static void read_file(const char *name) {
  FILE *file = fopen(name, "r");
  size_t length;
  if (file == NULL) {
    printf("cannot read %s\n", name);
    exit(1);
  }
  length = fread(text, 1, MAX_TEXT, file);
  text[length] = 0;
  fclose(file);
}

static void show(void) {
  int cells = 0;
  for (int y = 0; y < height; y++) {
    printf("%.*s\n", width, grid[y]);
    for (int x = 0; x < width; x++)
      cells += grid[y][x] != '.';
  }
  printf("%d cells, %d steps", cells, turtle.steps);
  if (turtle.bumps)
    printf(", %d bumps", turtle.bumps);
  printf("\n");
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 4) {
    printf("usage: turtle FILE [WIDTH HEIGHT]\n");
    return 1;
  }
  if (argc == 4) {
    width = atoi(argv[2]);
    height = atoi(argv[3]);
    if (width < 1 || width > MAX_WIDTH || height < 1 || height > MAX_HEIGHT) {
      printf("the grid has at most %d x %d cells\n", MAX_WIDTH, MAX_HEIGHT);
      return 1;
    }
  }
  memset(grid, '.', sizeof grid);
  read_file(argv[1]);
  run();
  show();
  return 0;
}
