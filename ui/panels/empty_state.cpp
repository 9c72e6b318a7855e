#include "ui/panels/empty_state.hpp"

#include "ui/panels/token_colour.hpp"
#include "ui/theme/scrolled_part.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr int kIconPixels = 32;
constexpr int kWidest = 360;
constexpr int kLeastWidth =
    24;  ///< in steps of the rhythm; it scrolls where it has less than it needs
constexpr int kLeastHeight = 16;
constexpr int kInnerShare = 1000;  ///< of the width, as far as the widest allows

QLabel* centred(const QString& text, const char* font, const char* colour, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    label->setWordWrap(true);
    label->setFont(Theme::current().font(font));
    setTextColour(*label, colour);
    return label;
}

}  // namespace

QWidget* makeEmptyState(const EmptyState& state, QWidget* parent) {
    auto* page = new QWidget(parent);
    auto* icon = new QLabel(page);
    icon->setObjectName(QStringLiteral("emptyIcon"));
    const auto paintIcon = [icon, name = state.icon] {
        icon->setPixmap(Theme::current().icon(name, "text.muted").pixmap(kIconPixels));
    };
    paintIcon();
    QObject::connect(&Themed::instance(), &Themed::changed, icon, paintIcon);
    icon->setAlignment(Qt::AlignHCenter);
    // A column of its own gives wrapped texts its width; centred by themselves they get too little.
    auto* inner = new QWidget(page);
    inner->setMaximumWidth(kWidest);
    auto* texts = new QVBoxLayout(inner);
    texts->setContentsMargins(0, 0, 0, 0);
    texts->setSpacing(Theme::space(2));
    texts->addStretch(1);
    texts->addWidget(icon);
    texts->addSpacing(Theme::space(1));
    texts->addWidget(centred(state.title, "title", "text", inner));
    texts->addWidget(centred(state.text, "body", "text.muted", inner));
    texts->addStretch(2);
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(Theme::space(6), Theme::space(6), Theme::space(6), Theme::space(6));
    row->addStretch(1);
    row->addWidget(inner, kInnerShare);
    row->addStretch(1);
    auto* scrolled = new ScrolledPart(page, parent);
    scrolled->setLeast(QSize(Theme::space(kLeastWidth), Theme::space(kLeastHeight)));
    return scrolled;
}

}  // namespace lowtide::ui
