// The functions of lowtide.h over the same plugin and runner as the C++ entry point.
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/host_api/lowtide.h"
#include "plugin/module/answer.hpp"
#include "plugin/module/plugin.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace lowtide::module {

namespace {

thread_local std::string lastError;

/// A copy that lowtide_free() takes; null without memory.
char* givenText(const std::string& text) noexcept {
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy) {
        std::memcpy(copy, text.c_str(), text.size() + 1);
    }
    return copy;
}

/// Message and hint of the first error of an answer, or of its first issue.
std::string reasonIn(const std::string& answer) {
    const Json json = Json::parse(answer, nullptr, false);
    const Json issues = json.is_object() ? json.value("issues", Json::array()) : Json::array();
    std::string reason = "the call failed";
    for (auto issue = issues.rbegin(); issue != issues.rend(); ++issue) {
        const bool isError = issue->value("severity", std::string("error")) == "error";
        if (isError || reason.empty()) {
            const std::string hint = issue->value("hint", std::string());
            reason = issue->value("message", std::string()) + (hint.empty() ? "" : "; " + hint);
        }
    }
    return reason;
}

/// What every function does: nothing is thrown through, a failure is remembered, the text given.
template <class Call>
int served(char** result, const Call& call) noexcept {
    std::string text;
    const Status status = answer(text, [&] { return call(text); });
    try {
        lastError = status == Status::Ok ? "" : reasonIn(text);
    } catch (...) {
        lastError.clear();
    }
    if (result) {
        *result = givenText(text);
    }
    return static_cast<int>(status);
}

std::string_view given(const char* text, const char* what) {
    if (!text) {
        throw Error(ErrorKind::InvalidInput, message("the {} is NULL", what));
    }
    return text;
}

std::string_view orNothing(const char* text) {
    return text ? std::string_view(text) : std::string_view();
}

Plugin& plugin() {
    std::string refusal;
    if (Plugin* const opened = openPlugin(refusal)) {
        return *opened;
    }
    throw Error(ErrorKind::Unsupported, Message(refusal));
}

Runner& runner() {
    if (Runner* const started = plugin().runner()) {
        return *started;
    }
    throw Error(ErrorKind::InvalidInput,
                message("the engine was not started"),
                message("call lowtide_open() first, and read what it reports"));
}

/// Hands events to a host's functions; goes with the last one of its run.
class CallbackObserver final : public Observer {
public:
    CallbackObserver(lowtide_event_function onEvent, lowtide_image_function onImage, void* user)
        : onEvent_(onEvent), onImage_(onImage), user_(user) {}

    void event(std::string_view json) noexcept override {
        stopFirstAtExitOfThisThread();  // where the host calls exit() in its function
        try {
            const std::string text(json);
            const Json event = Json::parse(text);
            const bool isLast = event.at("event") == "runFinished";
            const auto self = isLast ? std::exchange(self_, nullptr) : nullptr;
            if (onEvent_) {
                onEvent_(user_, event.at("run").get<RunId>(), text.c_str());
            }
        } catch (const std::exception&) {  // without memory for the text: it is lost
        }
    }

    void preview(RunId run, std::string_view node, const Image8& image) noexcept override {
        try {
            if (onImage_) {
                onImage_(user_,
                         run,
                         std::string(node).c_str(),
                         image.widthPixels,
                         image.heightPixels,
                         image.channels,
                         image.pixels.get());
            }
        } catch (const std::exception&) {
        }
    }

    /// Keeps it until the last event.
    static void keep(const std::shared_ptr<CallbackObserver>& observer) {
        observer->self_ = observer;
    }

    void letGo() { self_.reset(); }

private:
    lowtide_event_function onEvent_;
    lowtide_image_function onImage_;
    void* user_;
    std::shared_ptr<CallbackObserver> self_;
};

Status start(std::string_view graph,
             std::string_view options,
             const std::shared_ptr<CallbackObserver>& observer,
             uint64_t* run,
             std::string& text) {
    Runner& started = runner();
    CallbackObserver::keep(observer);
    RunId number = 0;
    const Status status = started.start(graph, options, *observer, number, text);
    if (status != Status::Ok) {
        observer->letGo();
    } else if (run) {
        *run = number;
    }
    return status;
}

CancelMode cancelMode(int how) {
    if (how != LOWTIDE_CANCEL_AFTER_THIS_IMAGE && how != LOWTIDE_CANCEL_NOW) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is no way to cancel {}", how),
                    message("use 1 (after this image) or 2 (now)"));
    }
    return how == LOWTIDE_CANCEL_NOW ? CancelMode::Now : CancelMode::AfterThisImage;
}

/// Asks a host's function whether a call goes on.
class CallbackWatch final : public Watch {
public:
    CallbackWatch(lowtide_watch_function watch, void* user) : watch_(watch), user_(user) {}

    bool goesOn(int64_t done, int64_t total) noexcept override {
        try {
            return watch_(user_, done, total) != 0;
        } catch (...) {  // the function of a host in C++ threw: as if it had returned "no"
            return false;
        }
    }

private:
    lowtide_watch_function watch_;
    void* user_;
};

/// Of a call that gives no text of its own.
Status orThrow(Status status, const Message& message) {
    if (status != Status::Ok) {
        throw Error(status == Status::Invalid ? ErrorKind::InvalidInput : ErrorKind::Device,
                    message);
    }
    return status;
}

}  // namespace

}  // namespace lowtide::module

namespace api = lowtide::module;
using lowtide::message;
using lowtide::Status;

uint32_t lowtide_c_api_version(void) {
    return LOWTIDE_C_API_VERSION;
}

int lowtide_open(const char* settings, char** result) {
    return api::served(result, [&](std::string& text) {
        return api::plugin().start(api::orNothing(settings), text);
    });
}

int lowtide_info(char** result) {
    return api::served(result, [&](std::string& text) {
        text = api::plugin().info();
        return Status::Ok;
    });
}

int lowtide_nodes(char** result) {
    return api::served(result, [&](std::string& text) {
        api::runner();
        lowtide::Json nodes = lowtide::Json::array();
        for (const lowtide::NodeDesc& node : api::plugin().nodes()) {
            nodes.push_back(lowtide::graph::toJson(node));
        }
        text = lowtide::Json{{"nodes", std::move(nodes)}}.dump();
        return Status::Ok;
    });
}

int lowtide_devices(char** result) {
    return api::served(result, [&](std::string& text) { return api::runner().devices(text); });
}

int lowtide_memory(char** result) {
    return api::served(result, [&](std::string& text) { return api::runner().memory(text); });
}

int lowtide_check(const char* graph, const char* options, char** result) {
    return api::served(result, [&](std::string& text) {
        return api::runner().check(api::given(graph, "graph"), api::orNothing(options), text);
    });
}

int lowtide_plan(const char* graph, const char* options, char** result) {
    return api::served(result, [&](std::string& text) {
        return api::runner().plan(api::given(graph, "graph"), api::orNothing(options), text);
    });
}

int lowtide_start(const char* graph,
                  const char* options,
                  lowtide_event_function event,
                  lowtide_image_function image,
                  void* user,
                  uint64_t* run,
                  char** result) {
    return api::served(result, [&](std::string& text) {
        return api::start(api::given(graph, "graph"),
                          api::orNothing(options),
                          std::make_shared<api::CallbackObserver>(event, image, user),
                          run,
                          text);
    });
}

int lowtide_cancel(uint64_t run, int how) {
    return api::served(nullptr, [&](std::string&) {
        return api::orThrow(api::runner().cancel(run, api::cancelMode(how)),
                            message("the run is over or unknown"));
    });
}

int lowtide_wait(uint64_t run, char** result) {
    return api::served(result, [&](std::string& text) { return api::runner().wait(run, text); });
}

int lowtide_call(const char* name,
                 const char* request,
                 lowtide_watch_function watch,
                 void* user,
                 char** result) {
    return api::served(result, [&](std::string& text) {
        api::runner();
        api::CallbackWatch asking(watch, user);
        return api::plugin().call(
            api::given(name, "name"), api::orNothing(request), watch ? &asking : nullptr, text);
    });
}

int lowtide_release(const char* component) {
    return api::served(nullptr, [&](std::string&) {
        const Status status = api::runner().release(api::given(component, "component"));
        return api::orThrow(status,
                            status == Status::Invalid
                                ? message("the runner was stopped and answers no more calls")
                                : message("a run is at work on the devices"));
    });
}

int lowtide_stop(void) {
    return api::served(nullptr, [&](std::string&) { return api::runner().stop(); });
}

void lowtide_free(char* text) {
    std::free(text);
}

const char* lowtide_last_error(void) {
    return api::lastError.c_str();
}
