#pragma once

#include "ui/bridge/model_shelf.hpp"

#include <QCache>
#include <QThreadPool>

#include <deque>
#include <functional>
#include <set>

namespace lowtide::ui {

/// Small pictures of models: the one that the person chose, else one that lies beside the file as
/// A1111, ComfyUI and their friends put it there, else the last one that was made with it. Read on
/// another thread when they are first asked for, the newest question first, in bounded memory.
/// `shelf` must outlive it. GUI thread only.
class ModelPictures : public QObject {
    Q_OBJECT

public:
    /// Longest side.
    static constexpr int kPixels = 96;
    static constexpr int kMostPictures = 400;
    /// Of those that wait to be read; older questions are forgotten, and asked again when seen.
    static constexpr size_t kMostWaiting = 64;

    /// The last picture that was made with a model of that file name; null: there is none.
    using Earlier = std::function<void(const QString& name, std::function<void(QImage)> done)>;

    explicit ModelPictures(const ModelShelf& shelf, QObject* parent = nullptr);
    ~ModelPictures() override;

    void setEarlier(Earlier earlier) { earlier_ = std::move(earlier); }

    /// What was read before; asks nothing, so that painting may call it.
    [[nodiscard]] std::optional<QImage> known(const FoundModel& model) const;
    /// Null: there is none, or it is not read yet; then made() follows.
    [[nodiscard]] QImage find(const FoundModel& model);
    /// A file, or what was chosen for it, has changed.
    void forget(const std::string& path);
    void forgetAll();

Q_SIGNALS:
    void made(const std::string& path);

private:
    struct Wanted {
        std::string path;
        QString chosen;
    };

    void readNext();
    void take(const std::string& path, const QImage& picture);
    void keep(const std::string& path, const QImage& picture);

    const ModelShelf& shelf_;
    Earlier earlier_;
    QCache<QString, QImage> pictures_;
    std::deque<Wanted> waiting_;
    std::set<std::string> asked_;  ///< waiting or being read
    bool isReading_ = false;
    QThreadPool pool_;
};

/// Files beside a model that may be its picture, in order: "x.preview.png", "x.png", ... for
/// "x.safetensors"; of a folder those in it.
[[nodiscard]] QStringList pictureNamesFor(const std::string& path);
/// Files beside a model that may say what it is: "x.txt", "x.md".
[[nodiscard]] QStringList noteNamesFor(const std::string& path);

}  // namespace lowtide::ui
