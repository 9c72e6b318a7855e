#include "ui/editors/prompt_footer.hpp"

#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <numeric>

namespace lowtide::ui {

namespace {

class CountWords {
    Q_DECLARE_TR_FUNCTIONS(Prompts)
};

int64_t sumOf(const EncoderCount& count) {
    return std::accumulate(count.chunks.begin(), count.chunks.end(), int64_t{0});
}

/// "31 / 75", or "87 in 2 × 75" where there are several chunks.
QString figuresOf(const EncoderCount& count) {
    return count.chunks.size() > 1
               ? CountWords::tr("%1 in %2 × %3")
                     .arg(sumOf(count))
                     .arg(count.chunks.size())
                     .arg(count.capacity)
               : CountWords::tr("%1 / %2").arg(sumOf(count)).arg(count.capacity);
}

QString sentenceOf(const EncoderCount& count) {
    const int chunks = static_cast<int>(count.chunks.size());
    const QString read = CountWords::tr("%1: %2 tokens in %n chunks of %3.", nullptr, chunks)
                             .arg(count.encoder)
                             .arg(sumOf(count))
                             .arg(count.capacity);
    return count.cut == 0
               ? read
               : read + QLatin1Char(' ') +
                     CountWords::tr("%n more are left out.", nullptr, static_cast<int>(count.cut));
}

/// Whether all give the same count.
bool areAlike(const TextCounts& counts) {
    return std::ranges::all_of(counts.encoders, [&](const EncoderCount& each) {
        const EncoderCount& first = counts.encoders.front();
        return each.chunks == first.chunks && each.capacity == first.capacity &&
               each.cut == first.cut;
    });
}

QToolButton* footerButton(const char* name, const QString& text, QWidget* parent) {
    auto* button = named(name, new QToolButton(parent));
    button->setText(text);
    button->setFont(Theme::current().font("small"));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);  // keys reach them from within the prompt
    return button;
}

}  // namespace

CountText countText(const TextCounts& counts) {
    if (counts.encoders.empty()) {
        return counts.isConnected
                   ? CountText{.text = {},
                               .tooltip = CountWords::tr("Tokens are counted as soon as the "
                                                         "graph can be checked: see Issues.")}
                   : CountText{.text = CountWords::tr("No checkpoint connected"),
                               .tooltip = CountWords::tr("Connect a model to see how many tokens "
                                                         "its text encoder reads.")};
    }
    CountText shown;
    QStringList parts;
    QStringList sentences;
    const bool isOne = areAlike(counts);
    for (const EncoderCount& count : counts.encoders) {
        shown.isCut = shown.isCut || count.cut > 0;
        sentences << sentenceOf(count);
        QString part =
            isOne ? figuresOf(count) : CountWords::tr("%1 %2").arg(count.encoder, figuresOf(count));
        if (count.cut > 0) {
            part = CountWords::tr("%1, %2 cut").arg(part).arg(count.cut);
        }
        if (parts.isEmpty() || !isOne) {
            parts << part;
        }
    }
    if (counts.isDrawn) {
        sentences << CountWords::tr("Counted for the alternatives that the present seed draws.");
    }
    shown.text = (counts.isDrawn ? CountWords::tr("drawn: %1") : QStringLiteral("%1"))
                     .arg(parts.join(QStringLiteral(" · ")));
    shown.tooltip = sentences.join(QLatin1Char('\n'));
    return shown;
}

PromptFooter::PromptFooter(QWidget* parent)
    : QWidget(parent),
      counts_(named("tokens", new QLabel(this))),
      read_(footerButton("readWeights", tr("Read weights"), this)),
      styles_(footerButton("promptStyles", tr("Styles"), this)),
      past_(footerButton("promptPast", tr("Earlier"), this)) {
    counts_->setFont(Theme::current().font("small"));
    counts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    read_->setToolTip(
        tr("(word:1.2) and BREAK are read as words here. Sets Weights of this node to A1111."));
    read_->setAccessibleDescription(read_->toolTip());
    read_->hide();
    rowIn(this, 1, {1, 0, 0, 0}, {{counts_, 1}, read_, styles_, past_});
    connect(read_, &QToolButton::clicked, this, &PromptFooter::readAsked);
    connect(styles_, &QToolButton::clicked, this, &PromptFooter::stylesAsked);
    connect(past_, &QToolButton::clicked, this, &PromptFooter::pastAsked);
    connect(&Themed::instance(), &Themed::changed, this, &PromptFooter::colour);
    setCounts({});
    setKeys({});
}

void PromptFooter::setKeys(const PromptLibrary::Keys& keys) {
    const auto tip = [](QToolButton* button, const QString& text, const QString& key) {
        button->setToolTip(key.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, key));
    };
    tip(styles_, tr("Apply a style, save this text as one, change them"), keys.styles);
    tip(past_, tr("Earlier prompts, from the runs"), keys.past);
}

void PromptFooter::setCounts(const CountText& counts) {
    isCut_ = counts.isCut;
    colour();
    counts_->setText(counts.text);
    counts_->setToolTip(counts.tooltip);
}

void PromptFooter::colour() {
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText,
                     Theme::current().colour(isCut_ ? "warning" : "text.muted"));
    counts_->setPalette(colours);
}

}  // namespace lowtide::ui
