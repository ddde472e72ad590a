/* Drives a robot over a field with a program such as `F3RF2*2(LF)P`: F goes forward, L and R turn, P
   paints, * repeats a group.  Each step costs fuel; walls stop the robot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define SIZE 6
#define MAX_DEPTH 4

struct robot {
    int x, y;
    int heading; /* 0 north, 1 east, 2 south, 3 west */
    int fuel;
    int painted;
    int bumps;
};

static char field[SIZE][SIZE];
static const int dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};

static int is_free(int x, int y)
{
    if (x < 0 || y < 0 || x >= SIZE || y >= SIZE)
        return 0;
    return field[y][x] != '#';
}

static int cost_of(const struct robot *robot, int x, int y)
{
    int cost = 1;
    if (field[y][x] == '~')
        cost = 3;
    if (robot->heading == 0)
        cost++;
    return cost;
}

static int step(struct robot *robot)
{
    int x = robot->x + dx[robot->heading], y = robot->y + dy[robot->heading];
    if (!is_free(x, y)) {
        robot->bumps++;
        return 0;
    }
    int cost = cost_of(robot, x, y);
    if (cost > robot->fuel)
        return 0;
    robot->fuel -= cost;
    robot->x = x;
    robot->y = y;
    return 1;
}

static void turn(struct robot *robot, char to)
{
    robot->heading = (robot->heading + (to == 'R' ? 1 : 3)) % 4;
}

static void paint(struct robot *robot)
{
    char *here = &field[robot->y][robot->x];
    if (*here == 'o')
        return;
    *here = 'o';
    robot->painted++;
}

static const char *number(const char *at, int *value)
{
    *value = 0;
    while (isdigit((unsigned char)*at))
        *value = *value * 10 + (*at++ - '0');
    return at;
}

static const char *run(struct robot *robot, const char *at, int depth)
{
    while (*at != '\0' && *at != ')') {
        int times = 1;
        char what = *at++;
        if (isdigit((unsigned char)*at))
            at = number(at, &times);
        if (what == 'F') {
            for (int i = 0; i < times; i++)
                if (!step(robot))
                    break;
        } else if (what == 'L' || what == 'R') {
            for (int i = 0; i < times; i++)
                turn(robot, what);
        } else if (what == 'P') {
            paint(robot);
        } else if (what == '*' && *at == '(') {
            const char *start = at + 1, *end = start;
            if (depth == MAX_DEPTH)
                return NULL;
            for (int i = 0; i < times && end != NULL; i++)
                end = run(robot, start, depth + 1);
            if (end == NULL || *end != ')')
                return NULL;
            at = end + 1;
        } else {
            return NULL;
        }
    }
    return at;
}

int main(int argc, char **argv)
{
    struct robot robot = {2, 3, 0, 20, 0, 0};
    if (argc < 3)
        return 2;
    memset(field, '.', sizeof field);
    field[1][2] = '#';
    field[3][3] = '~';
    robot.fuel = atoi(argv[2]);
    const char *end = run(&robot, argv[1], 0);
    if (end == NULL || *end != '\0') {
        puts("bad program");
        return 1;
    }
    printf("at %d %d, heading %c, fuel %d\n", robot.x, robot.y, "NESW"[robot.heading], robot.fuel);
    printf("painted %d%s\n", robot.painted, robot.bumps > 0 ? ", bumped" : "");
    return 0;
}
