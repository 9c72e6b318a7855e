#include "ui/prompts/resolved_graph.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"

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

std::vector<PromptPlace> promptPlaces(const graph::Document& document,
                                      const graph::Catalog& catalog) {
    std::vector<PromptPlace> places;
    forParams(document,
              catalog,
              [&](const std::string& id, const graph::DocumentNode& node, const ParamDesc& param) {
                  const auto value = node.params.find(param.id);
                  if (param.kind == ParamKind::Text && param.multiline &&
                      value != node.params.end() && value->is_string()) {
                      places.push_back({.node = id, .param = param.id});
                  }
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

uint64_t promptCombinations(const graph::Document& document,
                            const graph::Catalog& catalog,
                            const Wildcards& wildcards,
                            Issues& issues) {
    uint64_t all = 1;
    for (const PromptPlace& place : templatePlaces(document, catalog)) {
        try {
            const uint64_t own = PromptChoices(textAt(document, place)).combinations(wildcards);
            all = own != 0 && all > PromptChoices::kEndless / own ? PromptChoices::kEndless
                                                                  : all * own;
        } catch (const Error& error) {
            issues.push_back(issueAt(place, error));
        }
    }
    return all;
}

void putCombination(graph::Document& document,
                    const graph::Catalog& catalog,
                    const Wildcards& wildcards,
                    uint64_t index) {
    const std::vector<PromptPlace> places = templatePlaces(document, catalog);
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        const PromptChoices choices(textAt(document, *place));
        const uint64_t own = choices.combinations(wildcards);
        putText(document, *place, choices.combination(wildcards, index % own));
        index /= own;
    }
}

}  // namespace lowtide::ui
