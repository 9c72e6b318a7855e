#include "ui/theme/window_parts.hpp"

#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"

#include <QSignalBlocker>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr const char* kToken = "lowtideTextColour";

void showTextColour(QWidget& widget) {
    const QByteArray token = widget.property(kToken).toByteArray();
    QPalette palette = widget.palette();
    palette.setColor(QPalette::WindowText, Theme::current().colour(token.constData()));
    widget.setPalette(palette);
}

template <typename Layout>
Layout* filled(Layout* layout, int spacing, const QMargins& margins, Cells cells) {
    layout->setContentsMargins(margins * Theme::space(1));
    layout->setSpacing(Theme::space(spacing));
    addAll(*layout, cells);
    return layout;
}

}  // namespace

void addAll(QBoxLayout& layout, Cells cells) {
    for (const Cell& cell : cells) {
        if (cell.widget) {
            layout.addWidget(cell.widget, cell.stretch, cell.alignment);
        } else if (cell.layout) {
            layout.addLayout(cell.layout, cell.stretch);
        } else if (cell.steps > 0) {
            layout.addSpacing(Theme::space(cell.steps));
        } else if (cell.isSpace) {
            layout.addStretch(cell.stretch);
        }
    }
}

QVBoxLayout* columnIn(QWidget* part, int spacing, Cells cells) {
    return columnIn(part, spacing, {}, cells);
}

QVBoxLayout* columnIn(QWidget* part, int spacing, const QMargins& margins, Cells cells) {
    return filled(new QVBoxLayout(part), spacing, margins, cells);
}

QHBoxLayout* rowIn(QWidget* part, int spacing, Cells cells) {
    return rowIn(part, spacing, {}, cells);
}

QHBoxLayout* rowIn(QWidget* part, int spacing, const QMargins& margins, Cells cells) {
    return filled(new QHBoxLayout(part), spacing, margins, cells);
}

void setTextColour(QWidget& widget, const char* token) {
    const bool isNew = !widget.property(kToken).isValid();
    widget.setProperty(kToken, QByteArray(token));
    showTextColour(widget);
    if (isNew) {
        QObject::connect(
            &Themed::instance(), &Themed::changed, &widget, [&widget] { showTextColour(widget); });
    }
}

void setTip(QWidget& widget, const QString& text) {
    widget.setToolTip(text);
    widget.setAccessibleName(text);
}

void setPrimary(QToolButton& button) {
    button.setProperty("primary", true);
    button.updateGeometry();
}

QLabel* makeText(
    const QString& text, const char* name, QWidget* parent, const char* font, const char* colour) {
    auto* label = new WrappedLabel(text, parent);
    label->setObjectName(QLatin1String(name));
    if (font) {
        label->setFont(Theme::current().font(font));
    }
    if (colour) {
        setTextColour(*label, colour);
    }
    return label;
}

QLabel* makeFieldLabel(const QString& text, QWidget* field, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setFont(Theme::current().font("label"));
    label->setBuddy(field);
    return label;
}

void showText(QLabel& label, const QString& text) {
    label.setText(text);
    label.setVisible(!text.isEmpty());
}

QPushButton* makeButton(const QString& text, const char* name, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    return button;
}

QToolButton* makeIconButton(const char* icon,
                            const QString& text,
                            const char* name,
                            QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QLatin1String(name));
    button->setIcon(Theme::current().icon(icon));
    setTip(*button, text);
    button->setAutoRaise(true);
    button->setProperty("showsMenu", QLatin1String(icon) == QLatin1String("more"));
    return button;
}

QLineEdit* makeSearch(const QString& placeholder, const char* name, QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setObjectName(QLatin1String(name));
    field->setPlaceholderText(placeholder);
    field->setAccessibleName(placeholder);
    field->setClearButtonEnabled(true);
    return field;
}

QComboBox* makeChooser(const QString& tip, const char* name, int letters, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(QLatin1String(name));
    setTip(*box, tip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(letters);
    return box;
}

void refill(QComboBox& box, const QList<std::pair<QString, QVariant>>& entries) {
    QList<std::pair<QString, QVariant>> before;
    for (int i = 1; i < box.count(); ++i) {
        before.emplaceBack(box.itemText(i), box.itemData(i));
    }
    if (before == entries) {
        return;  // the list may be open
    }
    const QSignalBlocker quiet(&box);
    const QVariant chosen = box.currentData();
    while (box.count() > 1) {
        box.removeItem(1);
    }
    for (const auto& [text, value] : entries) {
        box.addItem(text, value);
    }
    box.setCurrentIndex(std::max(0, box.findData(chosen)));
}

}  // namespace lowtide::ui
