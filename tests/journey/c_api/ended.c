/* A host that ends in the middle of a run and never calls lowtide_stop().
 *     ended GRAPH OPTIONS exit|return|callback EVENT
 * EVENT: which event of the run it is; "callback": exit() in the function that it reports to
 */
#include "plugin/host_api/lowtide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct seen {
    volatile int events;
    int wanted;
    int ends;
};

static void on_event(void* user, uint64_t run, const char* json) {
    struct seen* seen = user;
    (void)run;
    (void)json;
    seen->events += 1;
    if (seen->ends && seen->events == seen->wanted) {
        exit(7);
    }
}

int main(int count, char** arguments) {
    static struct seen seen;
    uint64_t run = 0;
    if (count != 5) {
        return EXIT_FAILURE;
    }
    seen.wanted = atoi(arguments[4]);
    seen.ends = strcmp(arguments[3], "callback") == 0;
    if (lowtide_open("{\"threads\": 2}", NULL) != LOWTIDE_OK ||
        lowtide_start(arguments[1], arguments[2], on_event, NULL, &seen, &run, NULL) !=
            LOWTIDE_OK) {
        printf("%s\n", lowtide_last_error());
        return EXIT_FAILURE;
    }
    while (seen.ends || seen.events < seen.wanted) {
        const struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
    }
    if (strcmp(arguments[3], "exit") == 0) {
        exit(7);
    }
    return 7;
}
