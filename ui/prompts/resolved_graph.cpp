#include "ui/prompts/resolved_graph.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/param_value.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr const char* kWildcardCode = "wildcard";

/// Two prompts of a graph draw apart. FNV-1a.
uint64_t seedAt(uint64_t seed, const PromptField& field) {
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : field.node + '/' + field.param) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return seed ^ hash;
}

Issue issueAt(const PromptField& field, const Error& error) {
    return {.severity = Severity::Error,
            .code = kWildcardCode,
            .node = field.node,
            .item = field.param,
            .message = error.message(),
            .hint = error.hint()};
}

void putText(graph::Document& document, const PromptField& field, std::string text) {
    document.nodes.at(field.node).params[field.param] = std::move(text);
}

}  // namespace

std::vector<PromptField> promptTargets(const graph::Document& document,
                                       const graph::Catalog& catalog) {
    std::vector<PromptField> targets;
    forActiveParams(document,
                    catalog,
                    [&](const std::string& id, const graph::DocumentNode&, const ParamDesc& param) {
                        if (param.kind == ParamKind::Text && param.multiline) {
                            targets.push_back({.node = id, .param = param.id});
                        }
                    });
    return targets;
}

std::vector<PromptField> promptFields(const graph::Document& document,
                                      const graph::Catalog& catalog) {
    std::vector<PromptField> fields = promptTargets(document, catalog);
    std::erase_if(fields, [&](const PromptField& field) {
        const Json& params = document.nodes.at(field.node).params;
        const auto value = params.find(field.param);
        return value == params.end() || !value->is_string();
    });
    return fields;
}

std::vector<PromptField> templateFields(const graph::Document& document,
                                        const graph::Catalog& catalog) {
    std::vector<PromptField> fields = promptFields(document, catalog);
    std::erase_if(fields, [&](const PromptField& field) {
        return !PromptChoices(textAt(document, field)).isTemplate();
    });
    return fields;
}

const std::string& textAt(const graph::Document& document, const PromptField& field) {
    return document.nodes.at(field.node).params.at(field.param).get_ref<const std::string&>();
}

uint64_t runSeed(const graph::Document& document, const graph::Catalog& catalog) {
    std::optional<uint64_t> seed;
    forActiveParams(
        document,
        catalog,
        [&](const std::string&, const graph::DocumentNode& node, const ParamDesc& param) {
            if (param.kind != ParamKind::Seed || seed) {
                return;
            }
            const Json value = graph::valueOf(node, param);
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
    for (const PromptField& field : templateFields(document, catalog)) {
        try {
            const PromptChoices choices(textAt(document, field));
            putText(document, field, choices.drawn(wildcards, seedAt(drawing, field)));
        } catch (const Error& error) {
            issues.push_back(issueAt(field, error));
        }
    }
    return issues;
}

void keepPrompts(graph::Document& document, const graph::Catalog& catalog) {
    for (const PromptField& field : templateFields(document, catalog)) {
        putText(document, field, literalPrompt(textAt(document, field)));
    }
}

PromptCombinations::PromptCombinations(const graph::Document& document,
                                       const graph::Catalog& catalog,
                                       const Wildcards& wildcards) {
    for (const PromptField& field : templateFields(document, catalog)) {
        templates_.push_back(
            {field, AllTexts(PromptChoices(textAt(document, field)).parts(), wildcards)});
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
            issues.push_back(issueAt(each.field, error));
        }
    }
    return all;
}

void PromptCombinations::put(graph::Document& document, uint64_t index) {
    for (auto each = templates_.rbegin(); each != templates_.rend(); ++each) {
        const uint64_t own = each->texts.count();
        putText(document, each->field, each->texts.at(index % own));
        index /= own;
    }
}

size_t takePrompts(graph::Document& into,
                   const graph::Document& from,
                   const graph::Catalog& catalog) {
    std::vector<PromptField> targets = promptTargets(into, catalog);
    std::vector<PromptField> left = promptFields(from, catalog);
    std::erase_if(left, [&](const PromptField& field) { return textAt(from, field).empty(); });
    if (targets.empty()) {
        return 0;
    }
    const auto typeIn = [](const graph::Document& document, const PromptField& field) {
        return document.nodes.at(field.node).type;
    };
    for (const bool sameType : {true, false}) {
        std::erase_if(left, [&](const PromptField& field) {
            const auto target = std::ranges::find_if(targets, [&](const PromptField& each) {
                return each.param == field.param &&
                       (!sameType || typeIn(into, each) == typeIn(from, field));
            });
            if (target == targets.end()) {
                return false;
            }
            into.nodes.at(target->node).params[target->param] = textAt(from, field);
            targets.erase(target);
            return true;
        });
    }
    return left.size();
}

}  // namespace lowtide::ui
