/* Every function of the C API called so that it must fail: before lowtide_open(), with NULL and
 * with texts that are none, from a callback, after lowtide_stop(). Between them the plain run that
 * must go well. Prints "ok", or what was answered wrongly. misused GRAPH OPTIONS */
#include "plugin/host_api/lowtide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;

static void must(int holds, const char* what) {
    if (!holds) {
        printf("%s: %s\n", what, lowtide_last_error());
        wrong = 1;
    }
}

/* A failure has a status, a sentence, and a text that has "issues". */
/* `result` may be NULL. It is read once the call is over: C orders no arguments of a call. */
static void must_fail(int status, char** result, const char* what) {
    must(status == LOWTIDE_INVALID || status == LOWTIDE_FAILED, what);
    must(strlen(lowtide_last_error()) > 0, what);
    if (result != NULL && *result != NULL) {
        must(strstr(*result, "\"issues\"") != NULL, what);
        lowtide_free(*result);
        *result = NULL;
    }
}

static void call_all_in_vain(const char* graph, const char* options, const char* when) {
    char* text = NULL;
    uint64_t run = 0;
    printf("%s\n", when);
    must_fail(lowtide_nodes(&text), &text, "nodes");
    text = NULL;
    must_fail(lowtide_devices(&text), &text, "devices");
    text = NULL;
    must_fail(lowtide_memory(&text), &text, "memory");
    text = NULL;
    must_fail(lowtide_check(graph, options, &text), &text, "check");
    text = NULL;
    must_fail(lowtide_plan(graph, options, &text), &text, "plan");
    text = NULL;
    must_fail(lowtide_start(graph, options, NULL, NULL, NULL, &run, &text), &text, "start");
    text = NULL;
    must_fail(lowtide_wait(1, &text), &text, "wait");
    must_fail(lowtide_cancel(1, LOWTIDE_CANCEL_NOW), NULL, "cancel");
    text = NULL;
    must_fail(
        lowtide_call("unload", "{\"component\": \"all\"}", NULL, NULL, &text), &text, "a call");
    must_fail(lowtide_release("all"), NULL, "release");
    must_fail(lowtide_stop(), NULL, "stop");
}

static void give_nothing(const char* graph) {
    static const char* const texts[] = {
        NULL, "", "a cat", "[1]", "{", "{\"nodes\": 3}", "\xff\xfe"};
    static const char* const unread[] = {"a cat",
                                         "[1]",
                                         "{\"memory_budget\": \"1GiB\"}",
                                         "{\"repeat\": 4294967297}",
                                         "{\"device\": \"abacus\"}",
                                         "{\"device\": \"cuda:7\"}",
                                         "{\"device\": 3}",
                                         "{\"out\": \"\xff\"}"};
    size_t i = 0;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        must_fail(lowtide_check(texts[i], NULL, NULL), NULL, "check of no graph");
        must_fail(lowtide_plan(texts[i], "{}", NULL), NULL, "plan of no graph");
        must_fail(
            lowtide_start(texts[i], NULL, NULL, NULL, NULL, NULL, NULL), NULL, "start of none");
    }
    for (i = 0; i < sizeof(unread) / sizeof(unread[0]); ++i) {
        char* text = NULL;
        must_fail(lowtide_plan(graph, unread[i], &text), &text, unread[i]);
    }
    must_fail(lowtide_cancel(77, LOWTIDE_CANCEL_NOW), NULL, "cancel of no run");
    must_fail(lowtide_cancel(1, 3), NULL, "cancel in no way");
    must_fail(lowtide_wait(77, NULL), NULL, "wait for no run");
    must_fail(lowtide_release(NULL), NULL, "release of NULL");
    lowtide_free(NULL);
}

/* Each with a word of its reason; then one that goes well. */
static void call_by_name(void) {
    static const struct {
        const char* name;
        const char* request;
        const char* reason;
    } wrong_calls[] = {{NULL, "{}", "NULL"},
                       {"", "{}", "there is no call"},
                       {"nobody", NULL, "nobody"},
                       {"recognise", "{", "request"},
                       {"recognise", "\xff\xfe", "request"},
                       {"recognise", "[1]", "request"},
                       {"recognise", NULL, "\"path\""},
                       {"recognise", "{}", "\"path\""},
                       {"recognise", "{\"path\": null}", "\"path\""},
                       {"recognise", "{\"path\": 3}", "path"},
                       {"recognise", "{\"paths\": \"builtin:mini\"}", "\"paths\""},
                       {"unload", "{\"component\": \"all\", \"nobody\": 1}", "\"nobody\""}};

    char* text = NULL;
    size_t i = 0;
    for (i = 0; i < sizeof(wrong_calls) / sizeof(wrong_calls[0]); ++i) {
        text = NULL;
        must_fail(lowtide_call(wrong_calls[i].name, wrong_calls[i].request, NULL, NULL, &text),
                  &text,
                  wrong_calls[i].reason);
        must(strstr(lowtide_last_error(), wrong_calls[i].reason) != NULL, wrong_calls[i].reason);
    }
    text = NULL;
    must(lowtide_call("recognise", "{\"path\": \"builtin:mini\"}", NULL, NULL, &text) == LOWTIDE_OK,
         "a call that goes well");
    must(text && strstr(text, "\"runs\":true"), "what the mini model is");
    lowtide_free(text);
}

struct seen {
    const char* graph;
    int asked;
    int events;
    int images;
    int finished;
};

/* Calls that wait for the run are refused or answered, and never hang. Asked once: by the time that
 * the last node's start is reported the run may be over. */
static void on_event(void* user, uint64_t run, const char* json) {
    struct seen* seen = user;
    seen->events += 1;
    if (!seen->asked && strstr(json, "\"event\":\"nodeStarted\"")) {
        char* text = NULL;
        seen->asked = 1;
        must(lowtide_check(seen->graph, NULL, NULL) == LOWTIDE_OK, "check in a callback");
        must(lowtide_memory(&text) == LOWTIDE_OK && text, "memory in a callback");
        lowtide_free(text);
        must_fail(lowtide_plan(seen->graph, NULL, NULL), NULL, "plan in a callback");
        must_fail(lowtide_call("unload", "{\"component\": \"all\"}", NULL, NULL, NULL),
                  NULL,
                  "a call in a callback");
        must_fail(lowtide_release("all"), NULL, "release in a callback");
        must_fail(lowtide_cancel(run + 1, LOWTIDE_CANCEL_NOW), NULL, "cancel in a callback");
    }
    seen->finished += strstr(json, "\"event\":\"runFinished\"") ? 1 : 0;
}

static void on_image(void* user,
                     uint64_t run,
                     const char* node,
                     int32_t width,
                     int32_t height,
                     int32_t channels,
                     const uint8_t* pixels) {
    struct seen* seen = user;
    seen->images +=
        run > 0 && strlen(node) > 0 && width > 0 && height > 0 && channels > 0 && pixels;
}

static void run_well(const char* graph, const char* options) {
    struct seen seen = {NULL, 0, 0, 0, 0};
    char* report = NULL;
    uint64_t run = 0;
    seen.graph = graph;
    must(lowtide_start(graph, options, on_event, on_image, &seen, &run, NULL) == LOWTIDE_OK,
         "start");
    must(lowtide_wait(run, &report) == LOWTIDE_OK, "wait");
    must(report && strstr(report, "\"files\""), "the report");
    must(seen.asked && seen.events > 3 && seen.images > 0 && seen.finished == 1, "the events");
    lowtide_free(report);
    report = NULL;
    must(lowtide_wait(run, &report) == LOWTIDE_OK && report, "a second wait");
    lowtide_free(report);
}

int main(int count, char** arguments) {
    char* text = NULL;
    int round = 0;
    if (count != 3) {
        return EXIT_FAILURE;
    }
    must(lowtide_c_api_version() == LOWTIDE_C_API_VERSION, "the version");
    call_all_in_vain(arguments[1], arguments[2], "before lowtide_open()");
    must_fail(lowtide_open("{\"threads\": 4294967298}", NULL), NULL, "open with too many threads");
    must_fail(lowtide_open("{\"thread\": 1}", &text), &text, "open with an unknown setting");
    must(lowtide_open("{\"threads\": 1}", NULL) == LOWTIDE_OK, "open");
    text = NULL;
    must(lowtide_nodes(&text) == LOWTIDE_OK && strstr(text, "\"denoise.sample\""), "nodes");
    lowtide_free(text);
    for (round = 0; round < 2; ++round) {
        give_nothing(arguments[1]);
        call_by_name();
        run_well(arguments[1], arguments[2]);
    }
    must(lowtide_stop() == LOWTIDE_OK, "stop");
    must_fail(
        lowtide_start(arguments[1], NULL, NULL, NULL, NULL, NULL, NULL), NULL, "start after it");
    must_fail(lowtide_plan(arguments[1], NULL, NULL), NULL, "plan after it");
    must(strstr(lowtide_last_error(), "was stopped") != NULL, "why there is no plan");
    must_fail(lowtide_call("unload", "{\"component\": \"all\"}", NULL, NULL, NULL),
              NULL,
              "a call after it");
    must(strstr(lowtide_last_error(), "was stopped") != NULL, "why there is no call");
    must_fail(lowtide_release("all"), NULL, "release after it");
    must(strstr(lowtide_last_error(), "was stopped") != NULL, "why there is no release");
    must(lowtide_check(arguments[1], NULL, NULL) == LOWTIDE_OK, "check after it");
    must(lowtide_stop() == LOWTIDE_OK, "stop again");
    printf("%s\n", wrong ? "wrong" : "ok");
    return wrong;
}
