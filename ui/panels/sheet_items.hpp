#pragma once

#include "plugin/base/error.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/sheet_plan.hpp"
#include "ui/editors/param_editor.hpp"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// How the values of an item are given.
enum class SheetItemKind {
    Numbers,  ///< typed, as lists and ranges
    Ticks,    ///< chosen among some
    Texts     ///< lines, or words of a prompt
};

/// Something of a node that a sheet may vary.
struct SheetItem {
    std::string node;
    std::string item;  ///< as SheetAxis::item
    QString nodeLabel;
    QString label;
    const NodeDesc* desc = nullptr;
    const ParamDesc* param = nullptr;  ///< nullptr: memory policy or precision
    SheetItemKind kind = SheetItemKind::Numbers;
    bool takesOthers = false;  ///< files of a parameter, else what is typed

    [[nodiscard]] QString title() const { return SheetAxis{{}, {}, nodeLabel, label, {}}.title(); }
};

/// A value that can be ticked.
struct SheetChoice {
    SheetValue value;
    QString detail;
    bool isTicked = false;
};

/// Of active nodes, in the order of the graph.
[[nodiscard]] std::vector<SheetItem> sheetItems(const graph::Document& document,
                                                const graph::Catalog& catalog);
/// The steps of the first node that has some: what is asked most; -1: there are none.
[[nodiscard]] int firstStepsIn(const std::vector<SheetItem>& items);
/// What can be ticked for it, the graph's own value among it; `offered` may be nullptr.
[[nodiscard]] std::vector<SheetChoice> choicesOf(const SheetItem& item,
                                                 const graph::Document& document,
                                                 const OfferedFiles* offered);
/// Numbers around the graph's own, with which the user can begin.
[[nodiscard]] QString suggestedText(const SheetItem& item, const graph::Document& document);
/// The graph's own value as the command reads it.
[[nodiscard]] std::string ownText(const SheetItem& item, const graph::Document& document);
/// "It is so. Do that."
[[nodiscard]] QString sentencesOf(const Error& error);
/// Why the values cannot be run, in words of the command; empty: they can.
[[nodiscard]] QString refusalOf(const SheetItem& item,
                                const std::vector<SheetValue>& values,
                                const graph::Document& document,
                                const graph::Catalog& catalog);

}  // namespace lowtide::ui
