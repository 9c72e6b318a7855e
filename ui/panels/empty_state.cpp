#include "ui/panels/empty_state.hpp"

#include "ui/theme/theme.hpp"

#include <QLabel>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr int kIconPixels = 32;
constexpr int kWidest = 360;

QLabel* centred(const QString& text, const char* font, const char* colour, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    label->setWordWrap(true);
    label->setFont(Theme::current().font(font));
    label->setMaximumWidth(kWidest);
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, Theme::current().colour(colour));
    label->setPalette(palette);
    return label;
}

}  // namespace

QWidget* makeEmptyState(const EmptyState& state, QWidget* parent) {
    auto* page = new QWidget(parent);
    auto* icon = new QLabel(page);
    icon->setPixmap(Theme::current().icon(state.icon, "text.muted").pixmap(kIconPixels));
    icon->setAlignment(Qt::AlignHCenter);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(Theme::space(6), Theme::space(6), Theme::space(6), Theme::space(6));
    column->setSpacing(Theme::space(2));
    column->addStretch(1);
    column->addWidget(icon);
    column->addSpacing(Theme::space(1));
    column->addWidget(centred(state.title, "title", "text", page), 0, Qt::AlignHCenter);
    column->addWidget(centred(state.text, "body", "text.muted", page), 0, Qt::AlignHCenter);
    column->addStretch(2);
    return page;
}

}  // namespace lowtide::ui
