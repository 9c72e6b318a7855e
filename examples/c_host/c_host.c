/* A host of Lowtide in C99, over the C API. It links the module itself:
 *     cc -std=c99 -I PREFIX/include/lowtide c_host.c PREFIX/lib/liblowtide_plugin.so \
 *        -Wl,-rpath,PREFIX/lib -o c_host
 *     ./c_host FOLDER     writes an image into FOLDER, whose name needs no escapes in JSON, and
 *     prints the run's report */
#include "plugin/host_api/lowtide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A prompt to an image; each stage states how it may use memory (docs/memory.md). */
static const char graph[] =
    "{\"format\": 2, \"nodes\": {"
    "\"load\": {\"type\": \"load.checkpoint\", \"v\": 1,"
    "  \"params\": {\"checkpoint\": \"builtin:mini\"}},"
    "\"encode\": {\"type\": \"prompt.encode\", \"v\": 1, \"memory\": \"model\","
    "  \"params\": {\"prompt\": \"a fox face on a green background\"}},"
    "\"latent\": {\"type\": \"latent.empty\", \"v\": 1,"
    "  \"params\": {\"width\": 128, \"height\": 128}},"
    "\"denoise\": {\"type\": \"denoise.sample\", \"v\": 1, \"memory\": \"leaf+stream\","
    "  \"params\": {\"steps\": 8, \"seed\": 7}},"
    "\"decode\": {\"type\": \"decode.image\", \"v\": 1},"
    "\"save\": {\"type\": \"save.image\", \"v\": 1, \"params\": {\"prefix\": \"c_host\"}}},"
    "\"links\": ["
    "{\"from\": [\"load\", \"model\"], \"to\": [\"encode\", \"model\"]},"
    "{\"from\": [\"load\", \"model\"], \"to\": [\"denoise\", \"model\"]},"
    "{\"from\": [\"load\", \"model\"], \"to\": [\"decode\", \"model\"]},"
    "{\"from\": [\"encode\", \"positive\"], \"to\": [\"denoise\", \"positive\"]},"
    "{\"from\": [\"encode\", \"negative\"], \"to\": [\"denoise\", \"negative\"]},"
    "{\"from\": [\"latent\", \"latent\"], \"to\": [\"denoise\", \"latent\"]},"
    "{\"from\": [\"denoise\", \"latent\"], \"to\": [\"decode\", \"latent\"]},"
    "{\"from\": [\"decode\", \"image\"], \"to\": [\"save\", \"image\"]}]}";

/* On a thread of the module: a host with a window would only put a copy into a queue. */
static void on_event(void* user, uint64_t run, const char* json) {
    (void)user;
    (void)run;
    if (strstr(json, "\"nodeFinished\"")) {
        fprintf(stderr, "%s\n", json);
    }
}

static int failed(const char* call) {
    fprintf(stderr, "%s: %s\n", call, lowtide_last_error());
    return EXIT_FAILURE;
}

int main(int count, char** arguments) {
    char options[4096];
    char* report = NULL;
    uint64_t run = 0;
    int status = 0;
    if (count != 2 || strlen(arguments[1]) > sizeof(options) - 16) {
        fprintf(stderr, "usage: c_host FOLDER\n");
        return EXIT_FAILURE;
    }
    sprintf(options, "{\"out\": \"%s\"}", arguments[1]);
    if (lowtide_open("{\"guardMaps\": true}", NULL) != LOWTIDE_OK) {
        return failed("lowtide_open");
    }
    if (lowtide_start(graph, options, on_event, NULL, NULL, &run, NULL) != LOWTIDE_OK) {
        return failed("lowtide_start");
    }
    status = lowtide_wait(run, &report);
    if (status != LOWTIDE_OK) {
        return failed("lowtide_wait");
    }
    printf("%s\n", report ? report : "");
    lowtide_free(report);
    lowtide_stop();
    return EXIT_SUCCESS;
}
