#include "ui/prompts/resolved_graph.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr const char* kWildcardCode = "wildcard";

/// Calls `take` with each parameter of the active nodes that are known.
template <class Take>
void forParams(const graph::Document& document, const graph::Catalog& catalog, const Take& take) {
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc || node.mode != graph::NodeMode::Active) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            take(id, node, param);
        }
    }
}

/// Two prompts of a graph draw apart. FNV-1a.
uint64_t seedAt(uint64_t seed, const PromptPlace& place) {
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : place.node + '/' + place.param) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return seed ^ hash;
}

Issue issueAt(const PromptPlace& place, const Error& error) {
    return {.severity = Severity::Error,
            .code = kWildcardCode,
            .node = place.node,
            .item = place.param,
            .message = error.message(),
            .hint = error.hint()};
}

void putText(graph::Document& document, const PromptPlace& place, std::string text) {
    document.nodes.at(place.node).params[place.param] = std::move(text);
}

}  // namespace

std::vector<PromptPlace> promptRooms(const graph::Document& document,
                                     const graph::Catalog& catalog) {
    std::vector<PromptPlace> rooms;
    forParams(document,
              catalog,
              [&](const std::string& id, const graph::DocumentNode&, const ParamDesc& param) {
                  if (param.kind == ParamKind::Text && param.multiline) {
                      rooms.push_back({.node = id, .param = param.id});
                  }
              });
    return rooms;
}

std::vector<PromptPlace> promptPlaces(const graph::Document& document,
                                      const graph::Catalog& catalog) {
    std::vector<PromptPlace> places = promptRooms(document, catalog);
    std::erase_if(places, [&](const PromptPlace& place) {
        const Json& params = document.nodes.at(place.node).params;
        const auto value = params.find(place.param);
        return value == params.end() || !value->is_string();
    });
    return places;
}

std::vector<PromptPlace> templatePlaces(const graph::Document& document,
                                        const graph::Catalog& catalog) {
    std::vector<PromptPlace> places = promptPlaces(document, catalog);
    std::erase_if(places, [&](const PromptPlace& place) {
        return !PromptChoices(textAt(document, place)).isTemplate();
    });
    return places;
}

const std::string& textAt(const graph::Document& document, const PromptPlace& place) {
    return document.nodes.at(place.node).params.at(place.param).get_ref<const std::string&>();
}

uint64_t runSeed(const graph::Document& document, const graph::Catalog& catalog) {
    std::optional<uint64_t> seed;
    forParams(document,
              catalog,
              [&](const std::string&, const graph::DocumentNode& node, const ParamDesc& param) {
                  if (param.kind != ParamKind::Seed || seed) {
                      return;
                  }
                  const Json value = node.params.contains(param.id)
                                         ? node.params.at(param.id)
                                         : graph::toJson(param.defaultValue);
                  seed = value.is_number_integer() ? value.get<uint64_t>() : 0;
              });
    return seed.value_or(0);
}

Issues resolvePrompts(graph::Document& document,
                      const graph::Catalog& catalog,
                      const Wildcards& wildcards,
                      std::optional<uint64_t> seed) {
    Issues issues;
    const uint64_t drawing = seed.value_or(runSeed(document, catalog));
    for (const PromptPlace& place : promptPlaces(document, catalog)) {
        const PromptChoices choices(textAt(document, place));
        if (!choices.isTemplate()) {
            continue;
        }
        try {
            putText(document, place, choices.drawn(wildcards, seedAt(drawing, place)));
        } catch (const Error& error) {
            issues.push_back(issueAt(place, error));
        }
    }
    return issues;
}

void keepPrompts(graph::Document& document, const graph::Catalog& catalog) {
    for (const PromptPlace& place : templatePlaces(document, catalog)) {
        putText(document, place, literalPrompt(textAt(document, place)));
    }
}

PromptCombinations::PromptCombinations(const graph::Document& document,
                                       const graph::Catalog& catalog,
                                       const Wildcards& wildcards) {
    for (const PromptPlace& place : templatePlaces(document, catalog)) {
        templates_.push_back(
            {place, AllTexts(PromptChoices(textAt(document, place)).parts(), wildcards)});
    }
}

uint64_t PromptCombinations::count(Issues& issues) {
    uint64_t all = 1;
    for (Template& each : templates_) {
        try {
            const uint64_t own = each.texts.count();
            all = own != 0 && all > PromptChoices::kEndless / own ? PromptChoices::kEndless
                                                                  : all * own;
        } catch (const Error& error) {
            issues.push_back(issueAt(each.place, error));
        }
    }
    return all;
}

void PromptCombinations::put(graph::Document& document, uint64_t index) {
    for (auto each = templates_.rbegin(); each != templates_.rend(); ++each) {
        const uint64_t own = each->texts.count();
        putText(document, each->place, each->texts.at(index % own));
        index /= own;
    }
}

uint64_t promptCombinations(const graph::Document& document,
                            const graph::Catalog& catalog,
                            const Wildcards& wildcards,
                            Issues& issues) {
    return PromptCombinations(document, catalog, wildcards).count(issues);
}

void putCombination(graph::Document& document,
                    const graph::Catalog& catalog,
                    const Wildcards& wildcards,
                    uint64_t index) {
    PromptCombinations(document, catalog, wildcards).put(document, index);
}

size_t takePrompts(graph::Document& into,
                   const graph::Document& from,
                   const graph::Catalog& catalog) {
    std::vector<PromptPlace> rooms = promptRooms(into, catalog);
    std::vector<PromptPlace> left = promptPlaces(from, catalog);
    std::erase_if(left, [&](const PromptPlace& place) { return textAt(from, place).empty(); });
    if (rooms.empty()) {
        return 0;
    }
    const auto typeIn = [](const graph::Document& document, const PromptPlace& place) {
        return document.nodes.at(place.node).type;
    };
    for (const bool sameType : {true, false}) {
        std::erase_if(left, [&](const PromptPlace& place) {
            const auto room = std::ranges::find_if(rooms, [&](const PromptPlace& each) {
                return each.param == place.param &&
                       (!sameType || typeIn(into, each) == typeIn(from, place));
            });
            if (room == rooms.end()) {
                return false;
            }
            into.nodes.at(room->node).params[room->param] = textAt(from, place);
            rooms.erase(room);
            return true;
        });
    }
    return left.size();
}

}  // namespace lowtide::ui
