#pragma once
// A run queue with stub nodes, a fake engine and an observer that notes what it hears.

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/executor/run_queue.hpp"
#include "plugin/memory/value_codec.hpp"
#include "tests/unit/executor/fake_engine.hpp"
#include "tests/unit/executor/stub_nodes.hpp"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <atomic>
#include <cstring>

namespace lowtide::executor {

class StubCodec final : public memory::ValueCodec {
public:
    std::string_view type() const override { return "VALUE"; }

    memory::EncodedValue encode(const memory::WireRef& value) const override {
        const auto& stub = dynamic_cast<const StubValue&>(*value);
        return {.tensors = {{"text",
                             {.type = DType::U8,
                              .shape = {static_cast<int64_t>(stub.text.size())},
                              .bytes = std::as_bytes(std::span(stub.text))}}},
                .metadata = {{"bytes", stub.bytesOn("cpu")}},
                .owner = value};
    }

    memory::WireRef decode(const memory::EncodedValue& value) const override {
        const auto bytes = value.tensors.at("text").bytes;
        return std::make_shared<StubValue>(
            "VALUE",
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
            "cpu",
            value.metadata.at("bytes").get<Bytes>());
    }
};

inline memory::ValueCodecs stubCodecs() {
    memory::ValueCodecs codecs;
    codecs.push_back(std::make_unique<StubCodec>());
    return codecs;
}

class NotingObserver final : public Observer {
public:
    std::function<void(const Json&)> onEvent;

    void event(std::string_view text) noexcept override {
        Json json = parseJson(text, "event");
        {
            const std::lock_guard lock(mutex_);
            events_.push_back(json);
        }
        if (onEvent) {
            onEvent(json);
        }
    }

    void preview(RunId, std::string_view node, const Image8&) noexcept override {
        const std::lock_guard lock(mutex_);
        events_.push_back({{"event", "image"}, {"node", node}});
    }

    /// "nodeStarted a", one per event; memory events left out.
    QStringList lines() const {
        const std::lock_guard lock(mutex_);
        QStringList lines;
        for (const Json& event : events_) {
            if (event["event"] != "memory") {
                lines << QString::fromStdString(event["event"].get<std::string>() + " " +
                                                event.value("node", ""))
                             .trimmed();
            }
        }
        return lines;
    }

    std::vector<Json> named(const std::string& name) const {
        const std::lock_guard lock(mutex_);
        std::vector<Json> found;
        for (const Json& event : events_) {
            if (event["event"] == name) {
                found.push_back(event);
            }
        }
        return found;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Json> events_;
};

/// Everything that one test needs to run graphs.
class RunBench {
public:
    explicit RunBench(Bytes cacheLimit = kMiB, std::string keepFolder = "")
        : types(stubNodes(world)),
          queue(types,
                engine,
                {.cacheLimit = cacheLimit,
                 .keepFolder = std::move(keepFolder),
                 .codecs = stubCodecs()}) {}

    RunRequest request(const Json& graph, RunOptions options, Observer& watcher) const {
        return {.snapshot = graph::makeSnapshot(graph::documentFromJson(graph), types.catalog()),
                .options = std::move(options),
                .observer = &watcher};
    }

    RunResult run(const Json& graph,
                  RunOptions options = {},
                  std::shared_ptr<RunHooks> hooks = {}) {
        observer = std::make_unique<NotingObserver>();
        RunRequest asked = request(graph, std::move(options), *observer);
        asked.hooks = std::move(hooks);
        return queue.wait(queue.start(std::move(asked)));
    }

    Bytes wiresOn(std::string_view device) {
        return engine.ledger().bytesOn(device, memory::Tag::Wires);
    }

    StubWorld world;
    FakeEngine engine;
    NodeTypes types;
    std::unique_ptr<NotingObserver> observer;
    RunQueue queue;
};

inline QString joined(const Json& list) {
    QStringList words;
    for (const Json& word : list) {
        words << QString::fromStdString(word.get<std::string>());
    }
    return words.join(" ");
}

inline QString executed(const RunResult& result, size_t repetition = 0) {
    return joined(result.report["repetitions"][repetition]["executed"]);
}

inline QString cached(const RunResult& result) {
    return joined(result.report["repetitions"][0]["cached"]);
}

inline QString issuesOf(const RunResult& result) {
    QStringList lines;
    for (const Issue& issue : result.issues) {
        lines << QString::fromStdString(issue.code + " " + issue.node + "." + issue.item);
    }
    return lines.join("\n");
}

inline QString joined(const std::vector<std::string>& words) {
    QStringList list;
    for (const std::string& word : words) {
        list << QString::fromStdString(word);
    }
    return list.join(", ");
}

}  // namespace lowtide::executor
