// A shop whose articles are stored, and told to a catalogue that fails when it is told to.

export const catalogue = `
const articles = new Map();
const calls = [];
const fail = new Map();
const keyOf = (each) => each.__path__ ?? each.id;
/** How a call goes wrong: before or after it is done, by a refusal, by silence, by an answer that does not fit. */
async function act(name, article, work) {
  calls.push(name + ' ' + article.id);
  const how = fail.get(name);
  if (how === 'before') throw new Error('it failed');
  if (how === 'refuse') throw { status: 409, message: 'not this one' };
  if (how === 'never') return new Promise(() => {});
  work();
  if (how === 'after') throw new Error('it failed after it was done');
  if (how === 'late') return new Promise(() => {});
  if (how === 'garbage') return { id: article.id, price: 'much' };
  return how === 'other' ? { ...article, name: article.name + '!' } : article;
}
export const add = (article) => act('create', article, () => articles.set(keyOf(article), article));
export const change = (article) => act('update', article, () => articles.set(keyOf(article), article));
export const drop = (article) => act('delete', article, () => articles.delete(keyOf(article)));
export const find = async () => {
  if (fail.has('query')) throw { status: 418, message: 'no answer' };
  return [...articles.values()];
};
export const told = () => calls.splice(0);
export const all = () => [...articles.values()].map((each) => each.id + ' ' + each.price).sort();
export const fails = (name, how) => { if (how === '') fail.delete(name); else fail.set(name, how); return 1; };
export const put = (id, price) => { articles.set(id, { id, name: id, price }); return 1; };
`;

export const shop = (methods: string) => `module shop
import "catalogue.js" @as catalogue
entity Article { id String @id, name String, price Int, @meta {"audit": true} }
entity Sale { id String @id, article String @ref(Article.id), n Int }
entity Shelf { id String @id }
relationship OnShelf between(Shelf, Article)
event told { }
workflow told { catalogue.told() }
event all { }
workflow all { catalogue.all() }
event fails { name String, how String }
workflow fails { catalogue.fails(fails.name, fails.how) }
event put { id String, price Int }
workflow put { catalogue.put(put.id, put.price) }
event sell { id String, n Int }
workflow sell { {Article {id sell.id, name "new", price 1}}; {Article {id? sell.id, price 2}}; {Sale {id sell.id, article sell.id, n sell.n}} @as made; if (sell.n > 10) { throw("too many") }; made }
event tried { id String }
workflow tried { {Article {id tried.id, name "new", price 1}} @catch { error {Shelf {id "caught"}} }; {Shelf {id? "caught"}} }
resolver goods [shop/Article] @compose { ${methods} }
`;

export const everything = 'create catalogue.add, update catalogue.change, delete catalogue.drop, query catalogue.find';
