#include "ui/bridge/run_maker.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/document/edits.hpp"
#include "ui/models/model_kind.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace lowtide::ui {

namespace {

/// A path is of the machine alone; a word such as "builtin:mini" has no folder.
QString withoutFolder(const QString& value) {
    const QString name = QFileInfo(value).fileName();
    return name.isEmpty() ? value : name;
}

/// The next seed, within what the parameter takes.
uint64_t nextSeed(const ParamDesc& param, uint64_t seed) {
    const bool isLast = seed == UINT64_MAX ||
                        (param.max && *param.max > 0 && static_cast<double>(seed) >= *param.max);
    return isLast ? 0 : seed + 1;
}

/// Calls `give` with each seed of an active node, in the order of ids.
template <class Document, class Give>
void forSeeds(Document& document, const graph::Catalog& catalog, const Give& give) {
    forActiveParams(document, catalog, [&](const auto& id, auto& node, const ParamDesc& param) {
        if (param.kind == ParamKind::Seed) {
            give(id, node, param);
        }
    });
}

uint64_t seedIn(const graph::DocumentNode& node, const ParamDesc& param) {
    const Json value = graph::valueOf(node, param);
    const bool isSeed =
        value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
    return isSeed ? value.get<uint64_t>() : 0;
}

constexpr int kSliceMilliseconds = 15;
constexpr int kUntilMade = -1;

}  // namespace

SearchTerms runWordsOf(const graph::Document& document,
                       const graph::Catalog& catalog,
                       const QString& name) {
    QStringList prompts;
    QStringList models;
    SearchTerms words{.graph = name, .prompt = {}, .models = {}, .seed = {}};
    forActiveParams(document,
                    catalog,
                    [&](const auto&, const graph::DocumentNode& node, const ParamDesc& param) {
                        const auto value = node.params.find(param.id);
                        if (value == node.params.end()) {
                            return;
                        }
                        const QString text = value->is_string()
                                                 ? QString::fromStdString(value->get<std::string>())
                                                 : QString::fromStdString(value->dump());
                        if (param.kind == ParamKind::Seed && words.seed.isEmpty()) {
                            words.seed = text;
                        } else if (text.isEmpty()) {
                            return;
                        } else if (param.kind == ParamKind::Text && param.multiline) {
                            prompts << text;
                        } else if (kindFor({.nodeType = node.type, .param = param.id})) {
                            models << withoutFolder(text);
                        }
                    });
    models.removeDuplicates();
    words.prompt = prompts.join(QLatin1Char('\n'));
    words.models = models.join(QLatin1Char('\n'));
    return words;
}

size_t workOf(const graph::Document& document, const graph::Catalog& catalog) {
    constexpr size_t kPrime = 1099511628211U;  // of the hash FNV-1a
    size_t work = 0;
    const auto mix = [&work](std::string_view text) {
        work = (work ^ std::hash<std::string_view>()(text)) * kPrime;
    };
    const auto mixValue = [&mix](const Json& value) {
        mix(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    };
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        mix(id);
        mix(node.type);
        mix(std::to_string(static_cast<int>(node.mode)));
        mixValue(node.memory);
        mixValue(node.precision);
        for (const auto& [name, value] : node.params.items()) {
            const ParamDesc* param = desc ? graph::findParam(*desc, name) : nullptr;
            const bool isFree = param && (param->kind == ParamKind::Seed ||
                                          (param->kind == ParamKind::Text && param->multiline));
            if (!isFree) {
                mix(name);
                mixValue(value);
            }
        }
    }
    for (const graph::Link& link : document.links) {
        for (const graph::PortRef& port : {link.from, link.to}) {
            mix(port.node);
            mix(port.port);
        }
    }
    for (const auto& setting : {document.memoryBudget, document.device, document.lowMemory}) {
        mix(setting.value_or(""));
    }
    return std::max<size_t>(work, 1);
}

bool renewSeeds(graph::Document& document,
                const graph::Catalog& catalog,
                const std::function<uint64_t()>& random) {
    bool changed = false;
    forSeeds(
        document, catalog, [&](const auto&, graph::DocumentNode& node, const ParamDesc& param) {
            const SeedMode mode = seedModeOf(node, param.id);
            if (mode == SeedMode::Keep) {
                return;
            }
            const Json before = graph::valueOf(node, param);
            node.params[param.id] = mode == SeedMode::Random ? drawnSeed(param, random())
                                                             : nextSeed(param, seedIn(node, param));
            changed = changed || node.params.at(param.id) != before;
        });
    return changed;
}

void spreadSeeds(graph::Document& document,
                 const graph::Catalog& catalog,
                 SeveralSeeds how,
                 uint64_t run,
                 const std::function<uint64_t()>& random) {
    forSeeds(
        document, catalog, [&](const auto&, graph::DocumentNode& node, const ParamDesc& param) {
            uint64_t seed = seedIn(node, param);
            for (uint64_t i = 0; i < run; ++i) {
                seed = nextSeed(param, seed);
            }
            node.params[param.id] = how == SeveralSeeds::Random ? drawnSeed(param, random()) : seed;
        });
}

Json seedsIn(const graph::Document& document, const graph::Catalog& catalog) {
    Json seeds = Json::object();
    forSeeds(document, catalog, [&](const auto& id, const auto& node, const ParamDesc& param) {
        seeds[id][param.id] = seedIn(node, param);
    });
    return seeds;
}

void putSeeds(graph::Document& document, const Json& seeds) {
    for (const auto& [node, params] : seeds.items()) {
        for (const auto& [param, seed] : params.items()) {
            document.nodes.at(node).params[param] = seed;
        }
    }
}

RunMaker::RunMaker(QObject* parent) : QObject(parent) {
    connect(&soon_, &QTimer::timeout, this, &RunMaker::goOn);
}

void RunMaker::make(uint64_t count, Next next, Take take) {
    Work all{.count = count, .next = std::move(next), .take = std::move(take)};
    if (waiting_.empty()) {
        work(all, kSliceMilliseconds);
        all.take(std::exchange(all.made, {}));
    }
    if (all.number < all.count) {
        waiting_.push_back(std::move(all));
        soon_.start(0);
    }
}

void RunMaker::work(Work& work, int milliseconds) {
    QElapsedTimer clock;
    clock.start();
    while (work.number < work.count &&
           (milliseconds == kUntilMade || clock.elapsed() < milliseconds)) {
        if (std::optional<AskedRun> run = work.next(work.number++)) {
            work.made.push_back(std::move(*run));
        } else {
            work.number = work.count;
        }
    }
}

void RunMaker::goOn() {
    work(waiting_.front(), kSliceMilliseconds);
    if (waiting_.front().number == waiting_.front().count) {
        Work done = std::move(waiting_.front());
        waiting_.pop_front();
        done.take(std::move(done.made));
    }
    if (waiting_.empty()) {
        soon_.stop();
    }
}

void RunMaker::finish() {
    while (!waiting_.empty()) {
        Work rest = std::move(waiting_.front());
        waiting_.pop_front();
        work(rest, kUntilMade);
        rest.take(std::move(rest.made));
    }
    soon_.stop();
}

}  // namespace lowtide::ui
