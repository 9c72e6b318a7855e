#pragma once

#include "ui/canvas/scene_items.hpp"

#include <QtWidgets>

#include <set>

namespace lowtide::test {

/// Where the ink of the text is, in the node.
[[nodiscard]] inline QRectF inkOf(const ui::PaintedText& text) {
    const QFontMetricsF metrics(text.font);
    return metrics.tightBoundingRect(text.text.text())
        .translated(text.topLeft + QPointF(0, metrics.ascent()));
}

/// What is wrong with the texts of a node as they are painted at that zoom, a line each: ink
/// outside of the node, ink over other ink, and at full size a name of a port or parameter, the
/// title, or a value of usual length that is cut. Longer values may be cut: the inspector and the
/// editor have them whole.
[[nodiscard]] inline QStringList nodeTextProblems(ui::NodeItem& node, double zoom) {
    constexpr double kUsualValue = 140;
    QStringList problems;
    const auto complain = [&](const ui::PaintedText& text, const QString& what) {
        problems.append(QStringLiteral("%1, zoom %2: \"%3\" %4")
                            .arg(QString::fromStdString(node.id()))
                            .arg(zoom)
                            .arg(text.full, what));
    };
    std::set<QString> names{node.face().title};
    for (const auto* ports : {&node.face().inputs, &node.face().outputs}) {
        for (const ui::PortFace& port : *ports) {
            names.insert(port.label);
        }
    }
    for (const ui::RowFace& row : node.face().rows) {
        names.insert(row.label);
    }
    const auto isUsual = [](const ui::PaintedText& text) {
        return ui::widthOf(text.full, text.font) <= kUsualValue;
    };
    const ui::NodeTexts& shown = node.texts(zoom);
    std::vector<ui::PaintedText> texts = shown.face;
    texts.insert(texts.end(), shown.footer.begin(), shown.footer.end());
    for (size_t i = 0; i < texts.size(); ++i) {
        const QRectF ink = inkOf(texts[i]);
        if (!node.layout().body.adjusted(-0.5, -0.5, 0.5, 0.5).contains(ink) && !ink.isEmpty()) {
            complain(texts[i], QStringLiteral("leaves the node"));
        }
        const bool isWhole = texts[i].text.text() == texts[i].full;
        const bool isOfFace = i < shown.face.size();
        if (zoom >= 1 && !isWhole &&
            (names.contains(texts[i].full) || (isOfFace && isUsual(texts[i])))) {
            complain(texts[i], QStringLiteral("is cut to ") + texts[i].text.text());
        }
        for (size_t k = 0; k < i; ++k) {
            if (ink.intersects(inkOf(texts[k]))) {
                complain(texts[i], QStringLiteral("lies over ") + texts[k].full);
            }
        }
    }
    return problems;
}

}  // namespace lowtide::test
