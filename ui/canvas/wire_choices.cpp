#include "ui/canvas/wire_choices.hpp"

#include "ui/document/edits.hpp"
#include "ui/document/node_title.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr size_t kMostChoices = 60;

struct Candidate {
    WireChoice choice;
    bool isInto = false;  ///< an input of the node that asks
    double away = 0;
};

double distance(const QRectF& a, const QRectF& b) {
    const double x = std::max({0.0, a.left() - b.right(), b.left() - a.right()});
    const double y = std::max({0.0, a.top() - b.bottom(), b.top() - a.bottom()});
    return std::hypot(x, y);
}

class Choices {
public:
    Choices(const graph::Document& document,
            const graph::Catalog& catalog,
            const NodeRects& rects,
            const std::optional<OwnPort>& own)
        : document_(document), catalog_(catalog), rects_(rects), own_(own) {}

    /// Wires from outputs of the one node into inputs of the other.
    void add(const std::string& from, const std::string& to, bool isInto) {
        const NodeDesc* source = descOf(from);
        const NodeDesc* target = descOf(to);
        if (source == nullptr || target == nullptr) {
            return;
        }
        for (const PortDesc& output : source->outputs) {
            for (const PortDesc& input : target->inputs) {
                if (typesFit(output.type, input.type)) {
                    addPorts(from, output, to, input, isInto);
                }
            }
        }
    }

    std::vector<WireChoice> best(const QString& pattern) {
        std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            return std::tuple(a.isInto, a.choice.isReplacing, a.away) <
                   std::tuple(b.isInto, b.choice.isReplacing, b.away);
        });
        const QStringList words = pattern.split(u' ', Qt::SkipEmptyParts);
        std::vector<WireChoice> choices;
        for (Candidate& candidate : found_) {
            WireChoice& choice = candidate.choice;
            const bool fits = std::all_of(words.begin(), words.end(), [&](const QString& word) {
                return choice.text.contains(word, Qt::CaseInsensitive);
            });
            if (fits && wireRefusal(document_, catalog_, choice.from, choice.to).empty()) {
                choices.push_back(std::move(choice));
            }
            if (choices.size() == kMostChoices) {
                break;
            }
        }
        return choices;
    }

private:
    [[nodiscard]] const NodeDesc* descOf(const std::string& id) const {
        const auto node = document_.nodes.find(id);
        return node == document_.nodes.end() ? nullptr : catalog_.find(node->second.type);
    }

    void addPorts(const std::string& from,
                  const PortDesc& output,
                  const std::string& to,
                  const PortDesc& input,
                  bool isInto) {
        const PortDesc& own = isInto ? input : output;
        if (own_ && (own_->isOutput == isInto || own_->port != own.id)) {
            return;
        }
        WireChoice choice{.from = {from, output.id}, .to = {to, input.id}, .type = output.type};
        const graph::Link* link = linkInto(document_, choice.to);
        if (link != nullptr && link->from == choice.from) {
            return;
        }
        choice.isReplacing = link != nullptr;
        const PortDesc& other = isInto ? output : input;
        choice.text = (isInto ? QCoreApplication::translate("WireChoices", "%1 ← %2: %3")
                              : QCoreApplication::translate("WireChoices", "%1 → %2: %3"))
                          .arg(QString::fromStdString(own.label),
                               nodeTitle(document_, catalog_, isInto ? from : to),
                               QString::fromStdString(other.label));
        found_.push_back({.choice = std::move(choice),
                          .isInto = isInto,
                          .away = distance(rects_.at(from), rects_.at(to))});
    }

    const graph::Document& document_;
    const graph::Catalog& catalog_;
    const NodeRects& rects_;
    const std::optional<OwnPort>& own_;
    std::vector<Candidate> found_;
};

}  // namespace

std::vector<WireChoice> wireChoices(const graph::Document& document,
                                    const graph::Catalog& catalog,
                                    const NodeRects& rects,
                                    const std::string& node,
                                    const QString& pattern,
                                    const std::optional<OwnPort>& own) {
    Choices choices(document, catalog, rects, own);
    if (rects.contains(node)) {
        for (const auto& [other, rect] : rects) {
            if (other != node) {
                choices.add(node, other, false);
                choices.add(other, node, true);
            }
        }
    }
    return choices.best(pattern);
}

}  // namespace lowtide::ui
