// Access: who there is, which roles they have, what these may do, and whether one of them may do something, and why.

import { systemEntity } from '../../api/accounts.ts';
import { useModel } from '../../api/model.ts';
import { Tabs } from '../../components/tabs.tsx';
import { useParameters } from '../../router.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Matrix } from './matrix.tsx';
import { Roles } from './roles.tsx';
import { Users } from './users.tsx';
import { Why } from './why-form.tsx';

export default function Access() {
  const model = useModel();
  const [parameters, change] = useParameters();
  const { isAdmin } = model.caller;
  const { accessControl } = model.features;
  const tabs = [
    ...(isAdmin && systemEntity(model, 'User') !== undefined ? ['Users'] : []),
    ...(isAdmin && systemEntity(model, 'RoleAssignment') !== undefined ? ['Roles'] : []),
    ...(isAdmin && accessControl ? ['Matrix', 'Why'] : []),
    ...(systemEntity(model, 'ApiKey') === undefined ? [] : ['API keys']),
  ];
  const wanted = parameters.get('@tab') ?? tabs[0] ?? '';
  const tab = tabs.includes(wanted) ? wanted : (tabs[0] ?? '');
  return (
    <div className="page wide">
      <h1>Access</h1>
      {!accessControl && (
        <p className="hint">Access control is off: whoever is signed in may do everything. `rbac.enabled` switches it on.</p>
      )}
      <Tabs label="Access" names={tabs} open={tab} onOpen={(name) => change({ '@tab': name === tabs[0] ? undefined : name }, 'replace')}>
        {tab === 'Users' && <Users />}
        {tab === 'Roles' && <Roles />}
        {tab === 'Matrix' && <Matrix />}
        {tab === 'Why' && <Why />}
        {tab === 'API keys' && <ApiKeys />}
      </Tabs>
    </div>
  );
}
