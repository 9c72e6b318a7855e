#include "ui/panels/gallery_filter.hpp"

#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QDateTime>
#include <QLineEdit>
#include <QShortcut>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kTypedMilliseconds = 150;
constexpr int kChooserWidth = 150;
constexpr int kChooserLetters = 7;

/// Days before today from which on images are shown, and how many days.
struct Days {
    int before = 0;
    int count = 0;  ///< 0: until now
};

constexpr Days kDays[] = {{0, 0}, {1, 1}, {6, 0}, {29, 0}};

int64_t startOf(const QDate& day) {
    return day.startOfDay().toMSecsSinceEpoch();
}

}  // namespace

GalleryFilter::GalleryFilter(QWidget* parent) : QWidget(parent) {
    words_ = new QLineEdit(this);
    words_->setObjectName(QStringLiteral("galleryWords"));
    words_->setPlaceholderText(tr("Search images"));
    words_->setToolTip(
        tr("Words of the prompt, the title, the models or the file's name. Down goes to "
           "the images."));
    words_->setAccessibleName(words_->placeholderText());
    words_->setClearButtonEnabled(true);
    words_->setMinimumWidth(kChooserWidth);
    auto* down = new QShortcut(QKeySequence(Qt::Key_Down), words_);
    down->setContext(Qt::WidgetShortcut);
    connect(down, &QShortcut::activated, this, &GalleryFilter::left);
    model_ = chooser("galleryModel", tr("Model"));
    graph_ = chooser("galleryGraph", tr("Graph or preset"));
    when_ = chooser("galleryWhen", tr("When it was made"));
    when_->addItems(
        {tr("At any time"), tr("Today"), tr("Yesterday"), tr("Last 7 days"), tr("Last 30 days")});
    starred_ = new QToolButton(this);
    starred_->setObjectName(QStringLiteral("galleryStarred"));
    starred_->setIcon(Theme::current().icon("star"));
    starred_->setToolTip(tr("Only starred images"));
    starred_->setAccessibleName(starred_->toolTip());
    starred_->setCheckable(true);
    starred_->setAutoRaise(true);
    setChoices({}, {});
    typed_.setSingleShot(true);
    typed_.setInterval(kTypedMilliseconds);
    connect(words_, &QLineEdit::textChanged, &typed_, qOverload<>(&QTimer::start));
    connect(&typed_, &QTimer::timeout, this, &GalleryFilter::changed);
    for (QComboBox* box : {model_, graph_, when_}) {
        connect(box, &QComboBox::currentIndexChanged, this, &GalleryFilter::changed);
    }
    connect(starred_, &QToolButton::toggled, this, [this](bool isOn) {
        starred_->setIcon(Theme::current().icon(isOn ? "star-filled" : "star"));
        Q_EMIT changed();
    });
    row_ = new FlowRow(this);
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(Theme::space(2));
    for (QWidget* each : std::initializer_list<QWidget*>{words_, model_, graph_, when_, starred_}) {
        row_->addWidget(each);
    }
}

void GalleryFilter::addAtEnd(const QList<QWidget*>& widgets) {
    row_->addGroup(widgets);
}

QComboBox* GalleryFilter::chooser(const char* name, const QString& label) {
    auto* box = new QComboBox(this);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(label);
    box->setAccessibleName(label);
    box->setMaximumWidth(kChooserWidth);
    box->setMinimumContentsLength(kChooserLetters);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    return box;
}

void GalleryFilter::fill(QComboBox& box, const QString& all, const QStringList& values) {
    QStringList before;
    for (int i = 1; i < box.count(); ++i) {
        before << box.itemText(i);
    }
    if (box.count() > 0 && before == values) {
        return;  // the list may be open
    }
    const QSignalBlocker quiet(&box);
    const QString chosen = box.currentData().toString();
    box.clear();
    box.addItem(all, QString());
    for (const QString& value : values) {
        box.addItem(value, value);
    }
    box.setCurrentIndex(std::max(0, box.findData(chosen)));
}

void GalleryFilter::setChoices(const QStringList& models, const QStringList& graphs) {
    fill(*model_, tr("All models"), models);
    fill(*graph_, tr("All graphs"), graphs);
}

ImageFilter GalleryFilter::filter() const {
    ImageFilter filter;
    filter.words = words_->text().trimmed();
    filter.model = model_->currentData().toString();
    filter.graph = graph_->currentData().toString();
    filter.isStarred = starred_->isChecked();
    if (const int chosen = when_->currentIndex(); chosen > 0) {
        const Days& days = kDays[chosen - 1];
        const QDate first = QDate::currentDate().addDays(-days.before);
        filter.since = startOf(first);
        filter.until = days.count > 0 ? startOf(first.addDays(days.count)) : 0;
    }
    return filter;
}

bool GalleryFilter::isOpen() const {
    return words_->text().trimmed().isEmpty() && model_->currentIndex() == 0 &&
           graph_->currentIndex() == 0 && when_->currentIndex() == 0 && !starred_->isChecked();
}

void GalleryFilter::clear() {
    for (QComboBox* box : {model_, graph_, when_}) {
        const QSignalBlocker quiet(box);
        box->setCurrentIndex(0);
    }
    {
        const QSignalBlocker quiet(starred_);
        starred_->setChecked(false);
    }
    starred_->setIcon(Theme::current().icon("star"));
    words_->clear();
    typed_.stop();
    Q_EMIT changed();
}

void GalleryFilter::focusWords() {
    words_->setFocus(Qt::ShortcutFocusReason);
    words_->selectAll();
}

}  // namespace lowtide::ui
